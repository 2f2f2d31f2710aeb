// A table of queries and what they must find: English and Chinese, one to four characters, mixed, punctuation, FTS
// operators, and nonsense that finds nothing. Each row runs over messages and over a memory file alike.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { searchHistory } from '../../../store/search/history.ts';
import { refreshKnowledge } from '../../../store/search/knowledge.ts';
import { searchKnowledge } from '../../../store/search/recall.ts';
import { type TestDatabase, testDatabase } from '../../helpers/database.ts';
import { testLayout } from '../../helpers/layout.ts';
import { tempWorkspace } from '../../helpers/temp.ts';

const TEXTS = {
  deploy: '修复了部署脚本的超时问题 XZ-42 done',
  rerun: '重跑gen-itgc后一切正常',
  deep: '深度学习模型的训练需要显卡',
  login: '用户登录页面增加了验证码',
  timeoutEn: 'Raised the request timeout to 30 s in src/net/client.ts',
  cpp: 'Rewrote the parser in C++ and kept the C# bindings',
  quote: `it's the "quoted" value that broke NEAR( the parser`,
  path: 'see src/a.ts and docs/设计.md for details',
  accents: 'The café on Zürich street has naïve résumé templates',
  wide: 'ＦＵＬＬ　ｗｉｄｔｈ text ①②③',
  camel: 'getUserName was renamed to fetchProfile in HTTPServer2',
  snake: 'set max_retry_count to 5 and node.js to 20.19.0',
  todo: 'TODO: fix the flaky test before release',
  email: 'mail ops@example.com about the certificate',
  kana: 'データベースのバックアップを毎日とる',
  hangul: '데이터베이스 백업 일정을 변경했다',
  percent: 'coverage is at 87% and foo_bar is done',
  possessive: "Caroline's dog chased O'Brien's cat",
  stops: 'to be or not to be, that is the question',
  mixed: '用Redis做缓存，过期时间设为300秒',
  meeting: '明天下午三点开会讨论排期',
  negative: 'the -dark flag was removed; use --theme=light',
  version: 'release v2.3.1-beta.4 is out',
  emoji: 'Ship it ✅🚀',
  thai: 'สวัสดีครับ ระบบพร้อมใช้งาน',
} as const;

type Name = keyof typeof TEXTS;

const QUERIES: ReadonlyArray<readonly [query: string, first: Name | readonly Name[]]> = [
  // Chinese, one to four characters and sentences
  ['深', 'deep'],
  ['后', 'rerun'],
  ['部署', 'deploy'],
  ['超时', 'deploy'],
  ['登录', 'login'],
  ['缓存', 'mixed'],
  ['训练', 'deep'],
  ['验证码', 'login'],
  ['显卡', 'deep'],
  ['排期', 'meeting'],
  ['部署脚本', 'deploy'],
  ['深度学习', 'deep'],
  ['过期时间', 'mixed'],
  ['部署 超时', 'deploy'],
  ['超时 部署', 'deploy'],
  ['什么时候开会？', 'meeting'],
  ['部署脚本为什么超时了', 'deploy'],
  ['登录页面加了什么', 'login'],
  ['缓存的过期时间是多少', 'mixed'],
  // Mixed scripts and identifiers
  ['XZ-42', 'deploy'],
  ['xz-42', 'deploy'],
  ['XZ 42', 'deploy'],
  ['部署 XZ-42', 'deploy'],
  ['gen', 'rerun'],
  ['gen-itgc', 'rerun'],
  ['itgc', 'rerun'],
  ['重跑gen-itgc', 'rerun'],
  ['Redis', 'mixed'],
  ['redis缓存', 'mixed'],
  ['设计', 'path'],
  ['docs/设计.md', 'path'],
  ['300秒', 'mixed'],
  // Paths, code and punctuation
  ['src/a.ts', 'path'],
  ['a.ts', 'path'],
  ['client.ts', 'timeoutEn'],
  ['src/net/client.ts', 'timeoutEn'],
  ['C++', 'cpp'],
  ['c#', 'cpp'],
  ['node.js', 'snake'],
  ['max_retry_count', 'snake'],
  ['retry count', 'snake'],
  ['20.19.0', 'snake'],
  ['v2.3.1-beta.4', 'version'],
  ['getUserName', 'camel'],
  ['user name', 'camel'],
  ['HTTPServer2', 'camel'],
  ['profile', 'camel'],
  ['ops@example.com', 'email'],
  ['example.com', 'email'],
  ['foo_bar', 'percent'],
  ['87%', 'percent'],
  ['-dark', 'negative'],
  ['--theme=light', 'negative'],
  ['"quoted"', 'quote'],
  ["it's", 'quote'],
  ['NEAR(', 'quote'],
  ['TODO: fix', 'todo'],
  // Words, forms and folding
  ['timeouts', 'timeoutEn'],
  ['TIMEOUT', 'timeoutEn'],
  ['bind parsers', 'cpp'],
  ['cafe', 'accents'],
  ['CAFÉ', 'accents'],
  ['zurich', 'accents'],
  ['resume', 'accents'],
  ['full width', 'wide'],
  ['full ＷＩＤＴＨ', 'wide'],
  ["O'Brien", 'possessive'],
  ['Caroline', 'possessive'],
  ['dogs', 'possessive'],
  ['to be or not to be', 'stops'],
  ['When is the certificate due?', 'email'],
  // Other scripts
  ['データベース', 'kana'],
  ['バックアップ', 'kana'],
  ['毎日', 'kana'],
  ['백업', 'hangul'],
  ['데이터베이스', 'hangul'],
  ['พร้อม', 'thai'],
  // FTS operators are words or nothing
  ['AND', ['cpp', 'path', 'percent', 'snake']],
  ['parser AND bindings', 'cpp'],
  ['parser OR nothing', ['cpp', 'quote']],
  ['NOT flaky', 'todo'],
  ['words:timeout', 'timeoutEn'],
  ['release*', ['todo', 'version']],
  // Nothing to find
  ['', []],
  ['   ', []],
  ['"', []],
  ['*', []],
  ['()', []],
  ['%', []],
  ['_', []],
  ['✅', []],
  ['\u0000', []],
  ['\ud800', []],
  ['zzqqxx', []],
  ['xyzzy plugh', []],
  ['龘靐齉', []],
  ['宇宙飞船', []],
  ['蘑菇', []],
];

let at: TestDatabase;
beforeAll(() => {
  at = testDatabase();
  // One session each: neighbours lend no weight here.
  for (const text of Object.values(TEXTS)) at.talk('t', [text]);
  const ws = tempWorkspace({
    git: false,
    files: {
      '.MEMORY/work.md': Object.values(TEXTS)
        .map((text) => `## entry\n\n${text}\n`)
        .join('\n'),
    },
  });
  refreshKnowledge(at.db, testLayout(ws.dir), at.clock.now());
});
afterAll(() => at.db.close());

const names = (texts: readonly string[]) =>
  texts.map((text) => Object.entries(TEXTS).find(([, whole]) => text.includes(whole))?.[0] ?? `unknown: ${text}`);

test.each(QUERIES)('%j finds %j', async (query, wanted) => {
  const all = { limit: 0, offset: 0 };
  const history = await searchHistory(at.db, query, {}, all);
  const knowledge = await searchKnowledge(at.db, query, {}, all);
  for (const found of [names(history.items.map((hit) => hit.text)), names(knowledge.items.map((hit) => hit.body))]) {
    if (typeof wanted === 'string') expect(found[0]).toBe(wanted);
    else expect([...found].sort()).toEqual([...wanted].sort());
  }
  expect(history.total).toBe(history.items.length);
});

test.each(['汉'.repeat(1_000_000), 'gnome '.repeat(200_000), 'qq.zz/'.repeat(200_000), '"'.repeat(100_000)])(
  'a pasted page is a query like any other',
  async (query) => {
    expect((await searchHistory(at.db, query, {}, { limit: 1, offset: 0 })).total).toBe(0);
  },
);
