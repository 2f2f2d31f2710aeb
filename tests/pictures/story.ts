// What the model says in the pictures of the README, in both languages. The agents, tools, tasks, worktrees, questions,
// tests and merges around these words are the real ones, as in the demo.
import { MODULES } from '../../cli/demo/modules.ts';
import type { Script, Step } from '../../workers/agent/model/scripted.ts';

export type Language = 'en' | 'zh';

/** Ms before each reply of a teammate: long enough for a picture of all three at work. */
const THINKING_MS = 900;

interface Words {
  readonly request: string;
  readonly plan: string;
  readonly spawned: string;
  readonly back: string;
  readonly feedback: string;
  readonly lands: string;
  readonly end: string;
  readonly looks: string;
  readonly claim: string;
  readonly mend: string;
  readonly mended: string;
  readonly ready: string;
  readonly roles: readonly [string, string, string];
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    request: 'Write slug, words and table with the team. Land each when its tests pass.',
    plan: 'Three modules that do not need each other:\n\n| module | who | done when |\n|---|---|---|\n| slug | ann | `test/slug.test.js` passes |\n| words | bob | `test/words.test.js` passes |\n| table | cid | `test/table.test.js` passes |\n',
    spawned: 'Each gets a teammate and a worktree of its own.',
    back: '**ann** claims that all tests pass; what was observed is `exit 1`. Back to ann.',
    feedback: 'node --test test/slug.test.js exits 1: letters of other scripts are lost. Keep every script.',
    lands: 'Its tests pass. It lands.',
    end: 'All three modules have **landed**, each after its tests passed on the merged tree. ann was sent back once: it had claimed what was not so.',
    looks: 'I read the test first.',
    claim: 'is written; all tests pass.',
    mend: 'Letters of other scripts must stay.',
    mended: 'slug is mended: letters of every script are kept, both tests pass.',
    ready: 'slug is mended',
    roles: ['text', 'counting', 'layout'],
  },
  zh: {
    request: '用团队写 slug、words、table 三个模块，各自的测试通过后就合入。',
    plan: '三个模块互不依赖：\n\n| 模块 | 谁 | 完成的标志 |\n|---|---|---|\n| slug | ann | `test/slug.test.js` 通过 |\n| words | bob | `test/words.test.js` 通过 |\n| table | cid | `test/table.test.js` 通过 |\n',
    spawned: '每个模块一个队友，各有自己的 worktree。',
    back: '**ann** 说测试全部通过，实际观察到的是 `exit 1`。退回给 ann。',
    feedback: 'node --test test/slug.test.js 以 1 退出：其他文字的字母丢了。请保留每一种文字。',
    lands: '测试通过，合入。',
    end: '三个模块都已**合入**，每个都是在合并后的代码上测试通过才合入的。ann 被退回一次：它说的与事实不符。',
    looks: '先读测试。',
    claim: '写好了，测试全部通过。',
    mend: '其他文字的字母必须保留。',
    mended: 'slug 改好了：每种文字的字母都保留，两个测试都通过。',
    ready: 'slug 改好了',
    roles: ['文本', '计数', '排版'],
  },
};

/** The script of the whole team. */
export function pictureScript(language: Language): Script {
  const words = WORDS[language];
  const names = ['slug', 'words', 'table'];
  const mates = ['ann', 'bob', 'cid'];
  const lands = (name: string, task: string): Step => ({
    when: `${task} ${words.claim}`,
    text: `**${task}**: ${words.lands}`,
    calls: landing(name),
  });
  return {
    chunkMs: 5,
    agents: {
      Lead: [
        { text: words.plan, calls: names.map((title) => ({ name: 'create_task', arguments: { title, description: `src/${title}.js` } })) },
        {
          text: words.spawned,
          calls: mates.map((name, at) => ({
            name: 'spawn_teammate',
            arguments: { name, role: words.roles[at] ?? '', task: names[at] ?? '', worktree: true },
          })),
        },
        {
          when: `slug ${words.claim}`,
          text: words.back,
          calls: [{ name: 'review_teammate', arguments: { name: 'ann', verdict: 'revise', feedback: words.feedback } }],
        },
        lands('bob', 'words'),
        lands('cid', 'table'),
        { when: words.ready, text: `**slug**: ${words.lands}`, calls: landing('ann') },
        { when: 'nobody is at work', text: words.end },
        { calls: [{ name: 'collect_results', arguments: { wait_seconds: 30 } }], repeat: true },
      ],
      ann: [
        ...writes('slug', MODULES.slugAtFirst, words),
        {
          text: words.mend,
          calls: [{ name: 'edit_file', arguments: { path: 'src/slug.js', old_text: MODULES.slugBefore, new_text: MODULES.slugAfter } }],
          delayMs: THINKING_MS,
        },
        { calls: [{ name: 'bash', arguments: { command: 'node --test test/slug.test.js' } }], delayMs: THINKING_MS },
        { text: words.mended, delayMs: THINKING_MS },
      ],
      bob: writes('words', MODULES.words, words),
      cid: writes('table', MODULES.table, words),
    },
  };
}

function landing(name: string): NonNullable<Step['calls']> {
  return [
    { name: 'review_teammate', arguments: { name, verdict: 'approve' } },
    { name: 'merge_teammate', arguments: { name } },
  ];
}

function writes(name: string, content: string, words: Words): Step[] {
  return [
    { text: words.looks, calls: [{ name: 'read_file', arguments: { path: `test/${name}.test.js` } }], delayMs: THINKING_MS },
    { calls: [{ name: 'write_file', arguments: { path: `src/${name}.js`, content } }], delayMs: THINKING_MS },
    { calls: [{ name: 'bash', arguments: { command: `node --test test/${name}.test.js` } }], delayMs: THINKING_MS },
    { text: `${name} ${words.claim}`, delayMs: THINKING_MS },
  ];
}
