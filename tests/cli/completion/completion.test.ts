import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bashScript, fishScript, zshScript } from '../../../cli/commands/completion/scripts.ts';
import { placesOf } from '../../../cli/commands/completion/words.ts';
import { commandTable, globalOptions, rootOptions } from '../../../cli/table/table.ts';
import { en } from '../../../cli/text/en.ts';
import { zh } from '../../../cli/text/zh.ts';
import { tempFolder } from '../../helpers/temp.ts';

const places = placesOf(commandTable, globalOptions, rootOptions, en);

/** What bash offers for the words typed so far; the last one is being completed. */
function completed(...typed: string[]): string[] {
  const file = join(tempFolder(), 'xz.bash');
  writeFileSync(file, `${bashScript(places)}\nCOMP_WORDS=("$@")\nCOMP_CWORD=$(($# - 1))\n_xz_agent\nprintf '%s\\n' "\${COMPREPLY[@]}"\n`);
  return execFileSync('bash', ['--norc', file, 'xz', ...typed], { encoding: 'utf8' })
    .trim()
    .split('\n');
}

describe('completion', () => {
  test('in bash offers commands, sub-commands, options and fixed values', () => {
    expect(completed('conf')).toEqual(['config']);
    expect(completed('config', '')).toEqual(['set', 'provider', 'model', 'verify', 'trust', 'setup']);
    expect(completed('config', 'setup', '--re')).toEqual(['--reset']);
    expect(completed('--mode', 'y')).toEqual(['yolo']);
    expect(completed('completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(completed('--workspace', '/tmp', 'doc')).toEqual(['doctor']);
  });

  test('knows every command of the table in all three shells', () => {
    const names = commandTable.map(({ name }) => name);
    for (const script of [bashScript(places), zshScript(places), fishScript(placesOf(commandTable, globalOptions, rootOptions, zh))])
      for (const name of names) expect(script).toMatch(new RegExp(`\\b${name}\\b`));
  });

  test('is whole: bash parses it', () => {
    const file = join(tempFolder(), 'xz.bash');
    writeFileSync(file, bashScript(places));
    execFileSync('bash', ['-n', file]);
  });
});
