// What the model says in the demo. Only these words are written beforehand: the agents, tools, mail, tasks, worktrees,
// tests and merges are the real ones, and results arrive in whatever order they do.
import type { Script, Step } from '../../workers/agent/model/scripted.ts';
import { MODULES } from './modules.ts';

export const PROMPT = 'Write the four missing modules with the team. Land each when its tests pass.';

/** Before each reply of a teammate, ms: about what a quick model takes. */
const THINKING_MS = 500;

const approveAndMerge = (name: string): NonNullable<Step['calls']> => [
  { name: 'review_teammate', arguments: { name, verdict: 'approve' } },
  { name: 'merge_teammate', arguments: { name } },
];

const spawn = (name: string, role: string, task: string) => ({ name: 'spawn_teammate', arguments: { name, role, task, worktree: true } });

const LEAD: Step[] = [
  {
    text: 'Three modules are independent; report needs words and table. I make four tasks.',
    calls: [
      { name: 'create_task', arguments: { title: 'slug', description: 'Write src/slug.js so that test/slug.test.js passes.' } },
      { name: 'create_task', arguments: { title: 'words', description: 'Write src/words.js so that test/words.test.js passes.' } },
      { name: 'create_task', arguments: { title: 'table', description: 'Write src/table.js so that test/table.test.js passes.' } },
      {
        name: 'create_task',
        arguments: {
          title: 'report',
          description: 'Write src/report.js so that test/report.test.js passes.',
          blockedBy: ['words', 'table'],
        },
      },
    ],
  },
  {
    text: 'Three teammates, each in a worktree of its own.',
    calls: [spawn('ann', 'text', 'slug'), spawn('bob', 'counting', 'words'), spawn('cid', 'layout', 'table')],
  },
  {
    when: 'slug is written',
    text: 'ann says all tests pass, but node --test ended with exit 1. Back to ann.',
    calls: [
      {
        name: 'review_teammate',
        arguments: {
          name: 'ann',
          verdict: 'revise',
          feedback: 'node --test test/slug.test.js exits 1: letters of other scripts are lost. Keep every script.',
        },
      },
    ],
  },
  { when: 'words is written', text: 'words: two tests passed. It lands.', calls: approveAndMerge('bob') },
  { when: 'table is written', text: 'table: its test passed. It lands.', calls: approveAndMerge('cid') },
  { when: 'slug is mended', text: 'Now both tests of slug pass. It lands.', calls: approveAndMerge('ann') },
  { when: 'report is written', text: 'report stands on what has landed. It lands too.', calls: approveAndMerge('cid') },
  {
    when: 'nobody is at work',
    text: 'Everything has landed.',
    calls: ['ann', 'bob', 'cid'].map((name) => ({ name: 'release_teammate', arguments: { name } })),
  },
  {
    when: 'cid is released',
    text: 'All four modules have landed, each after its tests passed on the merged tree. ann was sent back once: it had claimed what was not so.',
  },
];

/** The task that waits is given out as soon as both of its blockers have landed: whichever merge comes last. */
const ASSIGN_REPORT: Step = { when: 'Now ready: report', calls: [{ name: 'assign_task', arguments: { teammate: 'cid', task: 'report' } }] };

const COLLECT: Step = { calls: [{ name: 'collect_results', arguments: { wait_seconds: 30 } }], repeat: true };

function writes(name: string, content: string, said: string): Step[] {
  return [
    {
      text: `I read test/${name}.test.js first.`,
      calls: [{ name: 'read_file', arguments: { path: `test/${name}.test.js` } }],
      delayMs: THINKING_MS,
    },
    { calls: [{ name: 'write_file', arguments: { path: `src/${name}.js`, content } }], delayMs: THINKING_MS },
    { calls: [{ name: 'bash', arguments: { command: `node --test test/${name}.test.js` } }], delayMs: THINKING_MS },
    { text: said, delayMs: THINKING_MS },
  ];
}

/** The script of the whole team. */
export function demoScript(): Script {
  return {
    chunkMs: 15,
    agents: {
      Lead: [...LEAD.slice(0, 7), ASSIGN_REPORT, ...LEAD.slice(7), COLLECT],
      ann: [
        ...writes('slug', MODULES.slugAtFirst, 'slug is written; all tests pass.'),
        {
          calls: [{ name: 'edit_file', arguments: { path: 'src/slug.js', old_text: MODULES.slugBefore, new_text: MODULES.slugAfter } }],
          delayMs: THINKING_MS,
        },
        { calls: [{ name: 'bash', arguments: { command: 'node --test test/slug.test.js' } }], delayMs: THINKING_MS },
        { text: 'slug is mended: letters of every script are kept, both tests pass.', delayMs: THINKING_MS },
      ],
      bob: writes('words', MODULES.words, 'words is written; both tests pass.'),
      cid: [
        ...writes('table', MODULES.table, 'table is written; its test passes.'),
        ...writes('report', MODULES.report, 'report is written; its test passes.'),
      ],
    },
  };
}
