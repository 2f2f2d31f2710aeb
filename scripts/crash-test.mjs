// Proves that a team run loses nothing: `npm run crash-test -- --kills N [--seed S] [--faults] [--keep] [--report FILE] [--record]`.
// Kills the built program at random instants (or makes its operations fail one by one), resumes it, looks at what is left.
// `--record` writes docs/kills.json, which `npm run bench` quotes: { date, kills, faults, counts, runs, seconds, seed, node, system }.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    faults: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    report: { type: 'string' },
    record: { type: 'boolean', default: false },
  },
});
const kills = Number(values.kills);
const seed = Number(values.seed);
// The record is about kills; failed operations stand in the report.
if (!Number.isInteger(kills) || kills < 1 || !Number.isInteger(seed) || (values.record && values.faults)) {
  console.error('usage: npm run crash-test -- --kills N [--seed S] [--faults | --record] [--keep] [--report FILE]');
  process.exit(2);
}
const temp = mkdtempSync(join(realpathSync(tmpdir()), 'xz-crash-'));
process.env.XZ_TEST_TEMP = temp;
let failed = true;
try {
  // Two folders deep, as the sources are: helpers find dist/ from where they stand.
  const outfile = join(root, 'node_modules', '.xz-crash', `campaign-${process.pid}.mjs`);
  await build({
    entryPoints: [join(root, 'tests/crash/campaign.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'warning',
    external: ['better-sqlite3', 'better-sqlite3-v13', 'vitest'],
  });
  const { runCampaign } = await import(pathToFileURL(outfile).href);
  rmSync(outfile);
  const began = Date.now();
  const lines = [];
  const say = (line) => {
    lines.push(line);
    console.log(line);
  };
  const onRun = (run, stops, played, tally, folder) => {
    const how = stops.map((stop) => (stop.kind === 'fault' ? stop.spec : `${stop.afterRequests}+${stop.afterMs}ms`)).join(' ');
    for (const { kind, what } of played.faults) say(`run ${run} (${how}): ${kind}: ${what}`);
    if (played.faults.length > 0 && values.keep) say(`run ${run}: kept in ${folder}`);
    if (run % 10 === 0)
      console.log(`${run} runs, ${tally.kills} killed, ${tally.failures} with a failed operation, ${tally.faults.length} faults`);
  };
  const tally = await runCampaign({ kills, seed, faults: values.faults, keep: values.keep, onRun });
  const count = (kind) => tally.faults.filter((fault) => fault.kind === kind).length;
  const date = new Date().toISOString();
  const seconds = Math.round((Date.now() - began) / 1000);
  say(
    `${date} · node ${process.version} · ${process.platform} · ${cpus().length} cores · seed ${seed}${values.faults ? ' · faults' : ''} · ` +
      `${tally.runs} team runs in ${seconds} s · ${tally.kills} kills, ${tally.failures} failed operations: ` +
      `${count('lost')} lost, ${count('twice')} twice, ${count('unreadable')} unreadable, ${count('left over')} left over, ${count('wrong end')} wrong ends`,
  );
  if (values.report !== undefined) writeFileSync(values.report, `${lines.join('\n')}\n`);
  if (values.record) {
    const counts = Object.fromEntries(['lost', 'twice', 'unreadable', 'left over', 'wrong end'].map((kind) => [kind, count(kind)]));
    const faults = tally.faults.length;
    const system = `${process.platform}, ${cpus().length} cores`;
    const record = { date, kills: tally.kills, faults, counts, runs: tally.runs, seconds, seed, node: process.version, system };
    writeFileSync(join(root, 'docs/kills.json'), `${JSON.stringify(record, null, 2)}\n`);
  }
  failed = tally.faults.length > 0;
} finally {
  if (!(values.keep && failed)) rmSync(temp, { recursive: true, force: true, maxRetries: 3 });
}
process.exitCode = failed ? 1 : 0;
