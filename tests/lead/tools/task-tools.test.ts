import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { openTasksBackground, taskGuidance } from '../../../lead/task-background.ts';
import { createAgentTool } from '../../../lead/tools/agent.ts';
import { createDispatchTask } from '../../../lead/tools/dispatch-task.ts';
import type { RunSubAgent, SubAgentInput } from '../../../lead/tools/sub-agent.ts';
import { createLeadTaskTools } from '../../../lead/tools/task-tools.ts';
import { createListTasks } from '../../../workers/agent/tools/list-tasks.ts';
import type { Tool, ToolContext } from '../../../workers/agent/tools/tool.ts';
import { taskBench } from '../../store/tasks/open.ts';

let row = 0;
const context = (origin: Partial<ToolContext['origin']> = {}, signal = new AbortController().signal): ToolContext => ({
  origin: { session: 's1', row: ++row, index: 0, ...origin },
  agent: 'Lead',
  root: '/',
  signal,
});

function toolsOf(tools: readonly Tool[]) {
  return async (name: string, args: Record<string, unknown>, at = context()) => {
    const tool = tools.find((other) => other.name === name);
    if (tool === undefined || !Value.Check(tool.parameters, args)) throw new Error(`no such call: ${name}`);
    return tool.run(args, at);
  };
}

describe('the task tools', () => {
  it('create, list, change and archive tasks in words the model can go on with', async () => {
    const { tasks } = taskBench();
    const call = toolsOf([...createLeadTaskTools(tasks), createListTasks(tasks)]);
    expect((await call('list_tasks', {})).text).toBe('There is no unfinished task.');
    expect((await call('create_task', { title: 'Lexer', priority: 'high' })).text).toBe(
      'Created:\n- lexer [pending, ready, high priority] Lexer',
    );
    expect((await call('create_task', { title: 'Parser', blockedBy: ['lexer'] })).text).toContain(
      '- parser [pending, waits for lexer] Parser',
    );
    await expect(call('create_task', { title: 'x', blockedBy: ['nope'] })).rejects.toThrow('no task "nope"');
    await expect(call('update_task', { id: 'parser', state: 'in_progress' })).rejects.toThrow('waits for lexer');
    expect((await call('update_task', { id: 'lexer' })).isError).toBe(true);
    expect((await call('update_task', { id: 'lexer', state: 'completed' })).text).toContain('Ready now: parser');
    expect((await call('list_tasks', {})).text).toBe('- parser [pending, ready] Parser\n(1 completed: list_tasks with state "completed")');
    await call('update_task', { id: 'parser', state: 'completed' });
    expect((await call('archive_tasks', { root: 'parser' })).text).toBe('Archived parser, lexer.');
    expect((await call('archive_tasks', { root: 'parser' })).text).toBe('parser is archived already.');
  });

  it('make one task of a call that is repeated after a crash', async () => {
    const { tasks } = taskBench();
    const call = toolsOf(createLeadTaskTools(tasks));
    const at = context();
    const [first, second] = [await call('create_task', { title: 'a' }, at), await call('create_task', { title: 'a' }, at)];
    expect(second).toEqual(first);
    expect(tasks.list()).toHaveLength(1);
  });
});

describe('dispatch_task', () => {
  const ending = (end: Awaited<ReturnType<RunSubAgent>>, seen: SubAgentInput[] = []): RunSubAgent => {
    return async (input) => {
      seen.push(input);
      return end;
    };
  };

  it('completes the task with the reply, and tells the sub-agent what came before', async () => {
    const { tasks } = taskBench();
    await tasks.create({ title: 'Lexer' });
    await tasks.create({ title: 'Parser', description: 'src/parse.ts', blockedBy: ['lexer'] });
    const seen: SubAgentInput[] = [];
    const call = toolsOf([createDispatchTask({ tasks, runSubAgent: ending({ stopReason: 'done', text: '14 tokens' }, seen) })]);
    await expect(call('dispatch_task', { id: 'parser' })).rejects.toThrow('waits for lexer');
    expect((await call('dispatch_task', { id: 'lexer' })).text).toContain('Task lexer is completed');
    await call('dispatch_task', { id: 'parser' });
    expect(seen[1]?.task).toContain('# Task: Parser\n\nsrc/parse.ts\n\n## Results of the tasks before\n- Lexer: 14 tokens');
    expect(tasks.get('lexer')).toMatchObject({ state: 'completed', result: '14 tokens' });
  });

  it.each(['error', 'rounds', 'interrupted', 'budget', 'timeout'] as const)(
    'counts an end by %s as a failed attempt',
    async (stopReason) => {
      const { tasks } = taskBench();
      await tasks.create({ title: 'a' });
      const call = toolsOf([createDispatchTask({ tasks, runSubAgent: ending({ stopReason, text: 'half done' }) })]);
      const controller = new AbortController();
      const result = await call('dispatch_task', { id: 'a' }, context({}, controller.signal));
      expect(result).toMatchObject({ isError: true, text: expect.stringContaining('1 of 3 attempts failed') });
      expect(tasks.get('a')).toMatchObject({
        state: 'pending',
        attempts: 1,
        failures: [{ agent: 'Lead', error: expect.stringContaining('half done') }],
      });
    },
  );

  it('gives the claim back when the run throws or is interrupted, and after three attempts says failed', async () => {
    const { tasks } = taskBench();
    await tasks.create({ title: 'a' });
    const controller = new AbortController();
    const runSubAgent: RunSubAgent = async () => {
      controller.abort();
      throw new Error('thread died');
    };
    const call = toolsOf([createDispatchTask({ tasks, runSubAgent })]);
    await call('dispatch_task', { id: 'a' }, context({}, controller.signal));
    expect(tasks.get('a')).toMatchObject({ state: 'pending', attempts: 1 });
    await call('dispatch_task', { id: 'a' });
    expect((await call('dispatch_task', { id: 'a' })).text).toContain('failed now');
  });

  it('takes up a run of its own session that was cut short, and leaves that of another session alone', async () => {
    const { tasks } = taskBench();
    await tasks.create({ title: 'mine' });
    await tasks.create({ title: 'theirs' });
    await tasks.claim('mine', 'Lead', { session: 's1' });
    await tasks.claim('theirs', 'Lead', { session: 's2' });
    const call = toolsOf([createDispatchTask({ tasks, runSubAgent: ending({ stopReason: 'done', text: 'ok' }) })]);
    await call('dispatch_task', { id: 'mine' });
    expect(tasks.get('mine')).toMatchObject({ state: 'completed', attempts: 1, failures: [{ error: 'the sub-agent was cut short' }] });
    await expect(call('dispatch_task', { id: 'theirs' })).rejects.toThrow('claimed by Lead');
  });

  it('records nothing for a task that a person took away meanwhile', async () => {
    const { tasks } = taskBench();
    await tasks.create({ title: 'a' });
    const runSubAgent: RunSubAgent = async () => {
      await tasks.update('a', { state: 'failed' }, { force: true });
      return { stopReason: 'done', text: 'ok' };
    };
    await expect(toolsOf([createDispatchTask({ tasks, runSubAgent })])('dispatch_task', { id: 'a' })).rejects.toThrow('no longer counts');
    expect(tasks.get('a')?.state).toBe('failed');
  });
});

describe('the agent tool', () => {
  it('returns the reply, and an error for any other end', async () => {
    const done = createAgentTool(async ({ title }) => ({ stopReason: 'done', text: `did: ${title}` }));
    expect((await done.run({ task: 'find it\nand more' }, context())).text).toBe('did: find it');
    const cut = createAgentTool(async () => ({ stopReason: 'rounds', text: 'so far' }));
    expect(await cut.run({ task: 'find it' }, context())).toMatchObject({ isError: true, text: expect.stringContaining('round limit') });
  });
});

describe('what the lead is told', () => {
  it('names at most twelve unfinished tasks, what can be done next first', async () => {
    const { tasks } = taskBench();
    expect(openTasksBackground(tasks)).toBe('');
    await tasks.create({ title: 'first' });
    for (let i = 0; i < 13; i++) await tasks.create({ title: `later ${i}`, blockedBy: ['first'] });
    const lines = openTasksBackground(tasks).split('\n');
    expect(lines).toHaveLength(14);
    expect(lines.slice(0, 2)).toEqual(['Unfinished tasks (14):', '- first [pending, ready] first']);
    expect(lines.at(-1)).toBe('- and 2 more (list_tasks)');
    expect(taskGuidance).toContain('create_task');
  });
});
