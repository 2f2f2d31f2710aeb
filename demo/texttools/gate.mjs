import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const files = ['slug', 'words', 'table', 'report'].filter((name) => existsSync(`src/${name}.js`)).map((name) => `test/${name}.test.js`);
process.exit(spawnSync(process.execPath, ['--test', ...files], { stdio: 'inherit' }).status ?? 1);
