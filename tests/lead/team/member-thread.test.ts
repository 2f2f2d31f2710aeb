// A teammate whose entry cannot follow what it does: nobody may wait for one that is idle.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { startMember } from '../../../lead/team/member-thread.ts';
import { systemClock } from '../../../store/clock.ts';
import { installFaultHook } from '../../../store/faults.ts';
import { connect } from '../../../workers/channel.ts';
import type { LeadApi, MemberStatus, TeammateApi } from '../../../workers/protocol.ts';
import { testCrew } from '../../helpers/crew.ts';

/** Ann's thread as the lead sees it, and the way to say how she is. */
async function annAtWork() {
  const { port1, port2 } = new MessageChannel();
  let lead: LeadApi | undefined;
  let end = () => {};
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  const { crew, events, close } = await testCrew(systemClock, {
    start(_start, api) {
      lead = api;
      return { api: connect<TeammateApi>(port1, {}), ready: Promise.resolve(), done, kill: end };
    },
    close: () => Promise.resolve(),
  });
  const session = crew.parts.sessions.create({ kind: 'teammate', agent: 'ann', parent: crew.session(), title: 'ann' });
  crew.mailbox.ensureBox('ann');
  const { root } = crew.parts.layout;
  crew.roster.write({ name: 'ann', session: session.id, epoch: 'e', state: 'starting', createdAt: '2026-03-03T09:00:00.000+00:00' });
  let changes = 0;
  const start = {
    ...{ name: 'ann', role: '', session: session.id, parent: crew.session(), epoch: 'e', leadEpoch: 'team-epoch', workspace: root, root },
    ...{
      place: '',
      mode: 'yolo' as const,
      flags: {},
      allow: [],
      trusted: true,
      processName: 'ptest',
      version: '0',
      language: 'en' as const,
    },
  };
  const thread = startMember({ ...crew, changed: () => void changes++ }, start, () => Promise.resolve(undefined));
  onTestFinished(async () => {
    installFaultHook(undefined);
    end();
    await thread.over;
    port1.close();
    port2.close();
    close();
  });
  const say = (state: MemberStatus['state']) => lead?.status({ state, activity: 'waiting', since: 0, tokens: 0, costUsd: null, files: [] });
  return { crew, events, thread, say, changes: () => changes };
}

for (const [what, spoil] of [
  ['is gone', (entry: string) => rmSync(entry)],
  [
    'cannot be written',
    (entry: string) =>
      installFaultHook(({ op, path }) => {
        if (op === 'rename' && path === entry) throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
        return undefined;
      }),
  ],
] as const)
  test(`one whose entry ${what} is told of all the same when it is idle again`, async () => {
    const { crew, thread, say, changes } = await annAtWork();
    say('working');
    expect(thread.busy()).toBe(true);
    spoil(join(crew.parts.layout.mailbox, 'ann', 'agent.json'));
    const before = changes();
    say('idle');
    expect(thread.busy()).toBe(false);
    expect(changes()).toBe(before + 1);
  });
