// `npm run soak -- [--minutes 60] [--json]`: the built program in a terminal, three teammates at work all the time; what grows,
// and what is left. Bundles tests/soak and prints one line a round, then the verdicts. Needs tmux and proc(5).
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({ options: { minutes: { type: 'string', default: '60' }, json: { type: 'boolean', default: false } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) {
  console.error('usage: npm run soak -- [--minutes 60] [--json]');
  process.exit(2);
}
const temp = mkdtempSync(join(realpathSync(tmpdir()), 'xz-soak-'));
process.env.XZ_TEST_TEMP = temp;
try {
  // Two folders deep, as the sources are: helpers find dist/ from where they stand.
  const outfile = join(root, 'node_modules', '.xz-soak', `soak-${process.pid}.mjs`);
  await build({
    stdin: {
      contents: "export { soak } from './soak.ts'; export { verdictsOf } from './verdict.ts';",
      resolveDir: join(root, 'tests/soak'),
    },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'warning',
    external: ['better-sqlite3', 'better-sqlite3-v13', 'vitest', 'esbuild'],
  });
  const { soak, verdictsOf } = await import(pathToFileURL(outfile).href);
  rmSync(outfile);
  const date = new Date().toISOString();
  const system = `${process.platform}, ${cpus().length} cores, load ${loadavg()[0].toFixed(1)}`;
  if (!values.json) console.log(`${date} · node ${process.version} · ${system} · ${minutes} min\n`);
  let shown = 0;
  const onSample = (sample) => {
    if (values.json) return;
    if (shown++ % 20 === 0) console.log(Object.keys(sample).map(cell).join(' '));
    console.log(Object.values(sample).map(cell).join(' '));
  };
  // What was started in the terminal must end too: the first Ctrl+C ends the round and reports.
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => stopping.abort());
  const soaked = await soak({ minutes, onSample, signal: stopping.signal });
  const verdicts = verdictsOf(soaked.samples);
  const failed = soaked.left.length > 0 || verdicts.some(({ ok }) => ok === false);
  if (values.json) console.log(JSON.stringify({ date, node: process.version, system, minutes, ...soaked, verdicts, ok: !failed }, null, 2));
  else report(soaked, verdicts);
  process.exitCode = failed ? 1 : 0;
} finally {
  rmSync(temp, { recursive: true, force: true, maxRetries: 3 });
}

function cell(value) {
  return (typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(1) : String(value)).padStart(11);
}

function report({ samples, first, last, wakeUps, searches, resizes, left }, verdicts) {
  console.log(
    `\n${samples.length} rounds, ${samples.length * 3} tasks done and merged, ${wakeUps} turns of the schedule, ` +
      `${searches} searches from outside, ${resizes} resizes\n`,
  );
  for (const { what, first: from, last: to, unit, growth, ok } of verdicts) {
    const mark = ok === undefined ? '?' : ok ? '✓' : '✗';
    const figures = `${cell(from)} ${cell(to)} ${unit.padEnd(2)} ${`${growth >= 0 ? '+' : ''}${growth.toFixed(1)} %`.padStart(9)}`;
    console.log(`  ${mark} ${figures}  ${what}`);
  }
  if (verdicts.some(({ ok }) => ok === undefined)) console.log('  ? too few rounds after the warm-up to tell');
  for (const [name, before, after] of [
    ['descriptors', first.descriptors, last.descriptors],
    ['awake', first.resources, last.resources],
  ])
    for (const kind of new Set([...Object.keys(before), ...Object.keys(after)]))
      if (before[kind] !== after[kind])
        console.log(`    ${name}: ${kind} ${before[kind] ?? 0} after the first round, ${after[kind] ?? 0} after the last`);
  for (const warning of last.warnings) console.log(`    warning: ${warning}`);
  console.log(left.length === 0 ? '\nnothing is left' : `\nleft:\n${left.map((what) => `  ${what}`).join('\n')}`);
}
