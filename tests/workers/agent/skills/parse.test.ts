import { describe, expect, test } from 'vitest';
import { parseSkill } from '../../../../workers/agent/skills/parse.ts';
import { substitute } from '../../../../workers/agent/skills/render.ts';
import { skillsNews, skillsSection } from '../../../../workers/agent/skills/section.ts';
import type { Skill } from '../../../../workers/agent/skills/skill.ts';

const md = (...front: string[]) => `---\n${front.join('\n')}\n---\n\n# Body\n\nDo it.\n`;

describe('a SKILL.md', () => {
  test.each<[what: string, text: string, expected: object]>([
    [
      'plain',
      md('name: commit', 'description: Writes commits'),
      { name: 'commit', description: 'Writes commits', body: '# Body\n\nDo it.', personOnly: false },
    ],
    ['a colon in the description', md('name: a', 'description: does a: b', 'license: MIT'), { description: 'does a: b' }],
    ['a colon and lines that go on', md('name: a', 'description: first: one', '  and more'), { description: 'first: one and more' }],
    ['quotes', md('name: "a"', "description: 'it''s: so'"), { name: 'a', description: "it's: so" }],
    ['a folded text', md('name: a', 'description: >-', '  one', '  two'), { description: 'one two' }],
    ['a hint that is a list and more', md('name: a', 'description: d', 'argument-hint: [x] — y'), { argumentHint: '[x] — y' }],
    ['a hint that is a list', md('name: a', 'description: d', 'argument-hint: [file]'), { argumentHint: '[file]' }],
    ['a hint in angle brackets', md('name: a', 'description: d', 'argument-hint: <query> [page]'), { argumentHint: '<query> [page]' }],
    ['a byte order mark', `\ufeff${md('name: a', 'description: d')}`, { name: 'a', body: '# Body\n\nDo it.' }],
    ['CRLF', md('name: a', 'description: d').replaceAll('\n', '\r\n'), { name: 'a', description: 'd', body: '# Body\n\nDo it.' }],
    ['only a person', md('name: a', 'description: d', 'disable-model-invocation: true'), { personOnly: true }],
    ['only a person, quoted', md('name: a', 'description: d', 'disable-model-invocation: "true"'), { personOnly: true }],
    [
      'tools in a row',
      md('name: a', 'description: d', 'allowed-tools: Bash(git add:*), Read Grep'),
      { allowedTools: ['Bash(git add:*)', 'Read', 'Grep'] },
    ],
    ['tools as a list', md('name: a', 'description: d', 'allowed-tools:', '  - Read', '  - Bash'), { allowedTools: ['Read', 'Bash'] }],
    ['nested fields nobody knows', md('name: a', 'description: d', 'metadata:', '  author: x', '  version: "1"'), { name: 'a' }],
    ['no name', md('description: d'), { name: 'folder' }],
    ['another case', md('name: My-Skill', 'description: d'), { name: 'My-Skill' }],
    ['a name of Han', md('name: 部署', 'description: 部署服务'), { name: '部署', description: '部署服务' }],
    [
      'a name of several words',
      md('name: PDF Processing', 'description: d'),
      { name: 'folder', remark: expect.stringContaining('PDF Processing') },
    ],
    ['no description', md('name: a'), { description: 'Do it.' }],
    ['no front matter', '# Title\n\nWhat it does\nin two lines.\n\nMore.\n', { name: 'folder', description: 'What it does in two lines.' }],
    ['an empty front matter', '---\n---\nText.\n', { name: 'folder', description: 'Text.' }],
    ['a horizontal rule in the body', `${md('name: a', 'description: d')}\n---\nmore\n`, { body: '# Body\n\nDo it.\n\n---\nmore' }],
    ['a number for a name', md('name: 123', 'description: 456'), { name: '123', description: '456' }],
  ])('%s', async (_what, text, expected) => {
    expect(await parseSkill(text, 'folder')).toMatchObject(expected);
  });

  test.each<[what: string, text: string, reason: RegExp]>([
    ['no closing ---', '---\nname: a\ndescription: d\n\n# Body\n', /no closing ---/],
    ['a name that leads out', md('name: ../x', 'description: d'), /"\.\.\/x" is not a name/],
    ['a name with a slash', md('name: a/b', 'description: d'), /is not a name/],
    ['broken YAML', md('- a', 'description: d'), /not YAML/],
    ['a list', md('- a', '- b'), /not a list of keys|not YAML/],
    ['nothing', '', /neither a description nor a body/],
  ])('is broken by %s', async (_what, text, reason) => {
    await expect(parseSkill(text, 'folder')).rejects.toThrow(reason);
  });
});

test.each<[body: string, args: string, hint: string | undefined, expected: string]>([
  ['Find $ARGUMENTS now', 'a $& $1 `x`', undefined, 'Find a $& $1 `x` now'],
  ['$1 then $2', 'one "two words"', undefined, 'one then two words'],
  ['$1$2$3', '$2 $1', undefined, '$2$1'],
  ['[$ARGUMENTS[0]|$ARGUMENTS[1]]', "x 'y z'", undefined, '[x|y z]'],
  ["awk '{print $1}'", '', undefined, "awk '{print $1}'"],
  ['Go: $1.', '', '<what>', 'Go: .'],
  ['costs $10', 'x', undefined, 'costs $10\n\nARGUMENTS: x'],
  ['No place', 'a b', undefined, 'No place\n\nARGUMENTS: a b'],
  ['$ARGUMENTS', '', undefined, ''],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the skill's own placeholder
  ['run ${CLAUDE_SKILL_DIR}/x.sh', '', undefined, 'run /s/k/x.sh'],
])('%j with %j', (body, args, argumentHint, expected) => {
  expect(substitute({ body, folder: '/s/k', argumentHint }, args)).toBe(expected);
});

describe('the section of the prompt', () => {
  const skill = (name: string, more: Partial<Skill> = {}): Skill => ({
    ...{ name, description: `does ${name}`, argumentHint: undefined, personOnly: false, allowedTools: [], body: '' },
    ...{ source: '.agents/skills', folder: `/s/${name}`, file: `/s/${name}/SKILL.md`, ...more },
  });

  test('names what a model may call, and nothing when there is nothing', () => {
    expect(skillsSection([])).toBeUndefined();
    expect(skillsSection([skill('p', { personOnly: true })])).toBeUndefined();
    expect(skillsSection([skill('a'), skill('p', { personOnly: true }), skill('b')])).toMatch(/\n- a: does a\n- b: does b$/);
  });

  test('stays within its budget and still names what did not fit', () => {
    const many = Array.from({ length: 200 }, (_, at) => skill(`skill-${at}`, { description: '说明'.repeat(300) }));
    const text = skillsSection(many, 1_000) ?? '';
    expect(text.length).toBeLessThan(3_000);
    expect(text).toContain('- skill-0: ');
    expect(text).toMatch(/Further skills, whose descriptions did not fit here: skill-2,.* and \d+ more$/);
  });

  test('says what is new to a prompt that was written earlier', () => {
    const prompt = `# Skills\n${skillsSection([skill('a'), skill('b')])}`;
    expect(skillsNews([skill('a')], prompt)).toBeUndefined();
    expect(skillsNews([skill('a'), skill('b', { description: 'does more' }), skill('c')], prompt)).toBe(
      'Skills added or changed since this conversation began:\n- b: does more\n- c: does c',
    );
  });
});
