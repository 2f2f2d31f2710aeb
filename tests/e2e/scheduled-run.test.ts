// One scheduled run as a process of its own: what it is told, what is taken from it, how it ends with its host.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { runChild } from '../../cli/daemon/child.ts';
import { systemClock } from '../../store/clock.ts';
import { errnoOf } from '../../store/errors.ts';
import type { Claim } from '../../store/schedule/task.ts';
import { claimOf } from '../helpers/claim.ts';
import { buildProgram } from '../helpers/program.ts';
import { tempFolder } from '../helpers/temp.ts';
import { until } from '../helpers/until.ts';

let program = '';
let host = '';
beforeAll(async () => {
  [program, host] = await Promise.all([buildProgram('scheduled-run'), buildProgram('scheduled-run-host')]);
});

const run = (claim: Claim, workspace = tempFolder(), signal = new AbortController().signal) =>
  runChild({
    claim,
    workspace,
    program: [process.execPath, program],
    env: { ...process.env, XZ_AGENT: 'Lead', XZ_WORKSPACE: '/elsewhere' },
    clock: systemClock,
    signal,
  });

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch (error) {
    if (errnoOf(error) === 'ESRCH' || errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
};
const pidIn = (workspace: string): Promise<number> =>
  until(() => existsSync(join(workspace, 'pid')) && Number(readFileSync(join(workspace, 'pid'), 'utf8')), 'the pid of the run');

describe('a scheduled run', () => {
  it('is told the request, the workspace, and the limits of its task', async () => {
    const workspace = tempFolder();
    const claim = claimOf({ description: 'back up\nall', mode: 'plan', team: true, timeoutSeconds: 60, maxCostUsd: 0.5 }, 2);
    expect(await run(claim, workspace)).toEqual({ status: 'success', output: 'did it', session: '2026-03-03-abc123', costUsd: 0.25 });
    expect(JSON.parse(readFileSync(join(workspace, 'argv.json'), 'utf8'))).toEqual([
      'once',
      '--json',
      '--workspace',
      workspace,
      '--mode',
      'plan',
      '--team',
      '--timeout',
      '60',
      '--max-cost',
      '0.5',
      '[Scheduled Task: back up\nall (2 earlier runs were missed; this one stands for them)]',
    ]);
  });

  it('that stops early or is used wrongly has failed, with the reason', async () => {
    expect(await run(claimOf({ description: 'fail' }))).toMatchObject({
      status: 'failed',
      output: 'half',
      error: 'stopped: budget\nxz: the budget is used up',
    });
    expect(await run(claimOf({ description: 'misuse' }))).toMatchObject({ status: 'failed', error: 'xz: no model is configured' });
  });

  it.each(['hang', 'hang deaf'])('is ended when its host stops (%s)', async (description) => {
    const workspace = tempFolder();
    const abort = new AbortController();
    const result = run(claimOf({ description }), workspace, abort.signal);
    const pid = await pidIn(workspace);
    abort.abort();
    expect((await result).status).toBe('interrupted');
    // Killed with its parent, it is gone when init has taken note of it.
    await until(() => !alive(pid), 'the end of the run');
  });

  it('does not outlive a host that is killed', async () => {
    const workspace = tempFolder();
    const killed = spawn(process.execPath, [host, workspace, program], { stdio: 'ignore' });
    const pid = await pidIn(workspace);
    killed.kill('SIGKILL');
    await until(() => !alive(pid), 'the end of the run');
  });
});
