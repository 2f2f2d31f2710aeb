import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { createScheduleTools, scheduleToolAliases } from '../../../lead/tools/schedule-tools.ts';
import { openDatabase } from '../../../store/database/database.ts';
import { openSchedule } from '../../../store/schedule/schedule.ts';
import type { RunMode } from '../../../store/schedule/task.ts';
import { storeSchemas } from '../../../store/schemas.ts';
import type { ToolContext } from '../../../workers/agent/tools/tool.ts';
import { fakeClock } from '../../helpers/clock.ts';
import { tempFolder } from '../../helpers/temp.ts';

function bench(mode: RunMode = 'ask', alive = true) {
  const clock = fakeClock(Date.parse('2026-03-03T15:50:00Z'));
  const schedule = openSchedule(openDatabase(`${tempFolder()}/agent.db`, storeSchemas), clock);
  let registered = 0;
  const tools = createScheduleTools({
    schedule: async () => schedule,
    timeZone: () => 'Asia/Shanghai',
    mode: () => mode,
    register: async () => void registered++,
    someoneRuns: async () => alive,
  });
  let row = 0;
  const context = (): ToolContext => ({
    origin: { session: 's1', row: ++row, index: 0 },
    agent: 'Lead',
    root: '/',
    signal: new AbortController().signal,
  });
  const call = async (name: string, args: Record<string, unknown>, at = context()) => {
    const tool = tools.find((other) => other.name === name);
    if (tool === undefined || !Value.Check(tool.parameters, args)) throw new Error(`no such call: ${name}`);
    return tool.run(args, at);
  };
  return { schedule, call, context, registered: () => registered };
}

describe('the schedule tools', () => {
  it('answer with the absolute next time and its zone', async () => {
    const { call, registered } = bench();
    expect((await call('schedule_task', { description: 'Back up the data', when: '09:00' })).text).toBe(
      'Scheduled back-up-the-data: every day at 09:00, next run 2026-03-04 09:00 +08:00 (Asia/Shanghai). It will run in mode ask.',
    );
    await call('schedule_task', { description: 'look', when: '半小时后', recurring: 'none' });
    await call('schedule_task', { description: 'ping', when: 'every 90 minutes' });
    expect((await call('list_schedules', {})).text.split('\n')).toEqual([
      '- look [once, next run 2026-03-04 00:20 +08:00 (Asia/Shanghai), mode ask] look',
      '- ping [every 90 minutes, next run 2026-03-04 01:20 +08:00 (Asia/Shanghai), mode ask] ping',
      '- back-up-the-data [every day at 09:00, next run 2026-03-04 09:00 +08:00 (Asia/Shanghai), mode ask] Back up the data',
    ]);
    expect(registered()).toBe(3);
  });

  it('keep to the mode of the session and never have a team', async () => {
    const { call, schedule } = bench('plan');
    await call('schedule_task', { description: 'x', when: '09:00' });
    expect(schedule.get('x')).toMatchObject({ mode: 'plan', team: false, author: 'agent' });
  });

  it('say when nothing runs schedules, and refuse what cannot be', async () => {
    const { call, schedule } = bench('ask', false);
    expect((await call('schedule_task', { description: 'x', when: 'in 5 minutes' })).text).toContain('xz --daemon');
    await expect(call('schedule_task', { description: 'y', when: 'in 0 minutes' })).rejects.toThrow('not later than now');
    expect(schedule.ids()).toEqual(['x']);
  });

  it('change nothing when a call is repeated after a crash', async () => {
    const { call, context, schedule } = bench();
    const at = context();
    const [first, second] = [
      await call('schedule_task', { description: 'x', when: 'in 5 minutes' }, at),
      await call('schedule_task', { description: 'x', when: 'in 5 minutes' }, at),
    ];
    expect(second).toEqual(first);
    expect(schedule.ids()).toEqual(['x']);
  });

  it('cancel by exact id, and name what there is when it is wrong', async () => {
    const { call } = bench();
    await call('schedule_task', { description: 'daily backup', when: '09:00' });
    expect(await call('cancel_schedule', { id: 'daily' })).toEqual({
      text: 'There is no scheduled task "daily". There are: daily-backup.',
      isError: true,
    });
    expect((await call('cancel_schedule', { id: 'daily-backup' })).text).toBe('Cancelled daily-backup.');
    expect((await call('list_schedules', {})).text).toBe('Nothing is scheduled.');
  });

  it('accept the name create_schedule without offering it', () => {
    expect(scheduleToolAliases.create_schedule).toBe('schedule_task');
  });
});
