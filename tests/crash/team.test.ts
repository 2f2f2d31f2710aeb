// SIGKILL at any moment of a team run, then `--resume`: the same merged tree, each mail in one turn, nothing left over.
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { NAMES, teamModel } from '../fixtures/team-model.ts';
import { modelEnv, pairingFault, startModelServer } from '../helpers/model-server.ts';
import { runXz, startXz } from '../helpers/run.ts';
import { tempWorkspace, type Workspace } from '../helpers/temp.ts';
import { until } from '../helpers/until.ts';

const KILLS = Number(process.env.XZ_TEST_TEAM_KILLS ?? 20);
const REQUESTS = 26;

test(`a team run killed at ${KILLS} random moments ends with the same merged tree`, async () => {
  const server = await startModelServer(teamModel({ reviseFirst: 'bob', delayMs: 5 }));
  const env = modelEnv(server);
  try {
    for (let round = 0; round < KILLS; round++) {
      const ws = tempWorkspace();
      const from = server.requests.length;
      const child = startXz(ws, ['once', 'build three parts', '--team', '--yes'], { env });
      const after = Math.floor((round * REQUESTS) / KILLS);
      if (after > 0) await Promise.race([until(() => server.requests.length - from >= after, `request ${after}`), child.ended]);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * (after === 0 ? 800 : 150)));
      child.kill('SIGKILL');
      await child.ended;
      const resumed = await runXz(ws, ['once', '--resume', '--team', '--yes', '--json'], { env, timeoutMs: 120_000 });
      expect(resumed, `round ${round}: ${resumed.err}`).toMatchObject({ code: 0, late: false });
      const answer = JSON.parse(resumed.out);
      if (answer.session === null) continue;
      checkTree(ws, `round ${round} after request ${after}: ${resumed.out} ${resumed.err}`);
      checkMail(ws);
    }
    expect(server.requests.map((request) => pairingFault(request.body)).filter(Boolean)).toEqual([]);
  } finally {
    await server.stop();
  }
}, 600_000);

function checkTree(ws: Workspace, where: string): void {
  for (const name of NAMES) {
    expect(ws.has(`parts/${name}.txt`), where).toBe(true);
    expect(ws.read(`parts/${name}.txt`), where).toBe(name === 'bob' ? 'made by bob, better\n' : `made by ${name}\n`);
  }
  expect(ws.git('status', '--porcelain').trim(), where).toBe('');
  expect(ws.git('worktree', 'list').trim().split('\n'), where).toHaveLength(1);
  expect(
    readdirSync(ws.path('.worktrees')).filter((name) => name !== '.gitignore'),
    where,
  ).toEqual([]);
  expect(
    readdirSync(ws.path('.agents/data/locks')).filter((name) => name.endsWith('.folders')),
    where,
  ).toEqual([]);
}

/** Every box is empty, nothing is dead, and no mail was shown in two turns or two messages. */
function checkMail(ws: Workspace): void {
  for (const name of ['Lead', ...NAMES]) {
    for (const box of ['tmp', 'new', 'cur', 'dead']) expect(readdirSync(ws.path(`.Mailbox/${name}/${box}`)), `${name}/${box}`).toEqual([]);
  }
  const Database = createRequire(import.meta.url)('better-sqlite3');
  const db = new Database(ws.path('.agents/data/agent.db'), { readonly: true });
  try {
    const results = db.prepare("select mail_id, count(*) n from mail_seen where agent = 'Lead' group by mail_id").all();
    // Three tasks and one revision: four results, each seen once.
    expect(results).toHaveLength(4);
    expect(results.every((row: { n: number }) => row.n === 1)).toBe(true);
    expect(db.prepare("select count(*) n from turns where state = 'open'").get()).toEqual({ n: 0 });
  } finally {
    db.close();
  }
}
