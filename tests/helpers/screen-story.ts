// A story with everything the screen can show, as events: a request, tool calls, a team, mail, a merge, a question.
import type { ScreenEvent } from '../../cli/screen/state.ts';
import { lead, NOW } from './screen-state.ts';

export function storyEvents(): ScreenEvent[] {
  const mate = (
    name: string,
    activity: 'thinking' | 'tool' | 'waiting' | 'asking',
    detail: string,
    task: string,
    tokens: number,
  ): ScreenEvent =>
    lead({
      ...{ type: 'teammate', name, state: activity === 'waiting' ? 'idle' : 'working', activity, detail, since: NOW, task },
      ...{ branch: `xz/${name}/1`, worktree: `.worktrees/${name}`, tokens, costUsd: null, files: ['src/parser.ts'] },
    });
  const tool = (key: string, name: string, args: Record<string, unknown>, ok = true, exitCode?: number): ScreenEvent[] => [
    lead({ type: 'tool_start', agent: 'Lead', key, name, args }, 2_000),
    lead(
      {
        ...{
          type: 'tool_end',
          agent: 'Lead',
          key,
          name,
          ok,
          preview: ok ? 'done' : 'FAIL lexer.test.ts\nexpected 3, got 4',
          lines: ok ? 1 : 38,
          ms: 4_200,
        },
        ...(exitCode === undefined ? {} : { exitCode }),
      },
      3_000,
    ),
  ];
  return [
    lead({
      type: 'turn_start',
      agent: 'Lead',
      session: 's',
      turn: 1,
      prompt: '把解析器的工作分给团队，测试通过后再合并。',
      origin: 'user',
    }),
    lead({ type: 'thinking', agent: 'Lead', delta: 'Three parts.\nLexer first.' }),
    lead({ type: 'text', agent: 'Lead', delta: 'Three parts are independent; **printer** waits for **lexer**.\n\n' }),
    lead({
      type: 'text',
      agent: 'Lead',
      delta: '| part | who |\n|---|---|\n| lexer | ann |\n| 解析器 | bob |\n\n```ts\nconst answer: number = 42; // yes\n```\n',
    }),
    ...tool('1.0', 'create_task', { title: 'lexer' }),
    ...tool('1.1', 'spawn_teammate', { name: 'ann', task: 'lexer', worktree: true }),
    ...tool('1.2', 'bash', { command: 'npm test' }, false, 1),
    {
      type: 'tasks',
      items: [
        { id: 'lexer', title: 'lexer', state: 'completed', landed: true, waitingFor: [] },
        { id: 'parser', title: 'parser', state: 'in_progress', assignee: 'bob', waitingFor: [] },
        { id: 'errors', title: 'errors', state: 'in_progress', assignee: 'cid', waitingFor: [] },
        { id: 'printer', title: 'printer', state: 'pending', waitingFor: ['parser'] },
      ],
    },
    mate('ann', 'waiting', '', 'lexer', 12_100),
    mate('bob', 'tool', 'bash', 'parser', 9_800),
    mate('cid', 'asking', '', 'errors', 4_000),
    lead({
      ...{ type: 'mail', from: 'ann', to: 'Lead', mailType: 'result', subject: 'lexer', at: NOW, claim: 'all 14 tests pass' },
      evidence: {
        ...{ commands: [{ command: 'node --test', exitCode: 0 }], diffstat: '+212 −31 in 3 files', files: ['a', 'b', 'c'] },
        ...{ tests: ['14 passed'], tokens: 18_400, costUsd: null, seconds: 200 },
      },
    }),
    lead({ type: 'merge', name: 'ann', outcome: 'merged', gate: 'green', commit: '8f2c1d0' }),
    lead({
      type: 'question',
      status: 'asked',
      question: {
        ...{ id: 'q1', agent: 'cid', tool: 'bash', summary: 'npm install left-pad', worktree: '.worktrees/cid' },
        ...{ rule: 'bash(npm install*)', expiresAt: NOW + 600_000 },
      },
    }),
    lead({ type: 'turn_start', agent: 'Lead', session: 's', turn: 2, prompt: '[Scheduled Task: daily backup]', origin: 'wakeup' }),
    lead({
      ...{ type: 'usage', agent: 'Lead', contextTokens: 41_200, window: 262_144, costUsd: null },
      usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, total: 2 },
    }),
    { type: 'memory', view: { on: true, recalled: ['work/测试命令', 'personal/提交风格'], topics: 12, conflicts: 0 } },
    {
      type: 'schedule',
      items: [{ id: 'daily-backup', description: 'daily backup', nextRun: NOW + 3_600_000, lastStatus: 'ok', enabled: true }],
    },
  ];
}
