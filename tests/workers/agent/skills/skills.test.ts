import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../../store/clock.ts';
import type { Finding } from '../../../../store/quarantine.ts';
import { placeOf } from '../../../../workers/agent/files/paths.ts';
import { openSkills, type Skills, type SkillsInput } from '../../../../workers/agent/skills/skills.ts';
import { watchSkills } from '../../../../workers/agent/skills/watch.ts';
import { skillTool } from '../../../../workers/agent/tools/skill.ts';
import { testLayout } from '../../../helpers/layout.ts';
import { tempFolder } from '../../../helpers/temp.ts';
import { until } from '../../../helpers/until.ts';

const md = (name: string, description = `does ${name}`, body = 'Do it.') =>
  `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`;

interface Place {
  readonly root: string;
  readonly input: SkillsInput;
  readonly told: Finding[];
  write(file: string, text: string): string;
  open(): Promise<Skills>;
}

/** A workspace `ws`, a home `home` and built-in skills `built-in` in one temporary folder. */
function place(): Place {
  const base = tempFolder();
  const root = join(base, 'ws');
  mkdirSync(root);
  mkdirSync(join(base, 'home'));
  const told: Finding[] = [];
  const input: SkillsInput = {
    layout: testLayout(root, join(base, 'home', '.xz')),
    home: join(base, 'home'),
    builtIn: join(base, 'built-in'),
    notice: (finding) => void told.push(finding),
  };
  const write = (file: string, text: string) => {
    const path = join(base, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  return { root, input, told, write, open: () => openSkills(input) };
}

const short = (skills: Skills) => skills.entries().map(({ name, source, status }) => `${name} ${source} ${status}`);

describe('the skills of a workspace', () => {
  test('come from five places; the first that has a name wins, the others are listed', async () => {
    const at = place();
    at.write('built-in/deploy/SKILL.md', md('deploy', 'built in'));
    at.write('built-in/only/SKILL.md', md('only'));
    at.write('home/.claude/skills/deploy/SKILL.md', md('deploy', 'claude home'));
    at.write('home/.xz/skills/Deploy/SKILL.md', md('Deploy', 'xz home'));
    at.write('ws/.claude/skills/deploy/SKILL.md', md('deploy', 'claude workspace'));
    at.write('ws/.agents/skills/deploy/SKILL.md', md('deploy', 'workspace'));
    at.write('ws/.agents/skills/deploy/references/api/SKILL.md', md('inner'));
    at.write('ws/.claude/skills/group/one/SKILL.md', md('one'));
    const skills = await at.open();
    expect(short(skills)).toEqual([
      'deploy .agents/skills ok',
      'deploy .claude/skills shadowed',
      'one .claude/skills ok',
      'Deploy ~/.xz/skills shadowed',
      'deploy ~/.claude/skills shadowed',
      'deploy built-in shadowed',
      'only built-in ok',
    ]);
    expect(skills.get('DEPLOY')?.description).toBe('workspace');
    expect(skills.entries()[1]?.reason).toContain('.agents/skills');
  });

  test('what cannot be used is listed with the reason, and told once', async () => {
    const at = place();
    at.write('ws/.agents/skills/colon/skill.md', md('colon', 'does a: b'));
    at.write('ws/.agents/skills/open/SKILL.md', '---\nname: open\ndescription: d\n\ntext\n');
    at.write('ws/.agents/skills/out/SKILL.md', md('../x'));
    at.write('ws/.agents/skills/empty/notes.txt', 'x');
    at.write('ws/.agents/skills/loose.md', md('loose'));
    at.write('ws/.agents/skills/README.md', '# about\n');
    at.write('ws/.agents/skills/binary/SKILL.md', 'x');
    writeFileSync(join(at.root, '.agents/skills/binary/SKILL.md'), Buffer.from([0xff, 0xfe, 0x80]));
    at.write('ws/secret.txt', md('secret'));
    mkdirSync(join(at.root, '.agents/skills/leak'));
    symlinkSync(join(at.root, 'secret.txt'), join(at.root, '.agents/skills/leak/SKILL.md'));
    symlinkSync('loop', join(at.root, '.agents/skills/loop'));
    symlinkSync('nowhere', join(at.root, '.agents/skills/gone'));
    symlinkSync('..', join(at.root, '.agents/skills/colon/back'));
    const skills = await at.open();
    expect(skills.list().map(({ name }) => name)).toEqual(['colon']);
    const reasons = Object.fromEntries(skills.entries().map(({ name, reason }) => [name, reason]));
    expect(reasons).toEqual({
      colon: undefined,
      open: expect.stringContaining('no closing ---'),
      out: expect.stringContaining('is not a name'),
      empty: expect.stringContaining('no SKILL.md'),
      loose: expect.stringContaining('loose/SKILL.md'),
      binary: expect.stringContaining('not UTF-8'),
      leak: expect.stringContaining('leads out'),
      loop: expect.stringContaining('loop'),
      gone: expect.stringContaining('leads nowhere'),
    });
    expect(at.told).toEqual([]);
    skills.tell();
    expect(at.told).toHaveLength(8);
    await skills.refresh();
    await skills.refresh();
    expect(at.told).toHaveLength(8);
    expect(skills.check()).toHaveLength(8);
  });

  test('a skill reached by two links is one skill', async () => {
    const at = place();
    at.write('ws/.agents/skills/a/SKILL.md', md('a'));
    mkdirSync(join(at.root, '.claude/skills'), { recursive: true });
    symlinkSync('../../.agents/skills/a', join(at.root, '.claude/skills/a'));
    expect(short(await at.open())).toEqual(['a .agents/skills ok']);
  });

  test('an edit takes effect, a bad one keeps the last good version, a removal is seen', async () => {
    const at = place();
    const file = at.write('ws/.agents/skills/a/SKILL.md', md('a', 'first'));
    const skills = await at.open();
    at.write('ws/.agents/skills/a/SKILL.md', md('a', 'second version'));
    await skills.refresh();
    expect(skills.get('a')?.description).toBe('second version');
    at.write('ws/.agents/skills/a/SKILL.md', '---\nname: a\n');
    await skills.refresh();
    expect(skills.get('a')?.description).toBe('second version');
    expect(skills.entries()[0]).toMatchObject({ status: 'broken', reason: expect.stringContaining('last good version stays') });
    expect(at.told.map(({ where }) => where)).toEqual([file]);
    at.write('ws/.agents/skills/a/SKILL.md', md('a', 'third'));
    await skills.refresh();
    expect(skills.entries()[0]).toMatchObject({ status: 'ok', description: 'third' });
    rmSync(dirname(file), { recursive: true });
    await skills.refresh();
    expect(skills.entries()).toEqual([]);
  });

  test('are watched, also in a folder that is made later and by an editor that renames', async () => {
    const at = place();
    const skills = await at.open();
    const watching = await watchSkills(at.input, systemClock, () => void skills.refresh());
    try {
      at.write('ws/.agents/skills/late/SKILL.md', md('late', 'one'));
      await until(() => skills.get('late')?.description === 'one', 'the new skill');
      at.write('ws/.agents/skills/late/.SKILL.md.swp', md('late', 'two'));
      const { renameSync } = await import('node:fs');
      renameSync(join(at.root, '.agents/skills/late/.SKILL.md.swp'), join(at.root, '.agents/skills/late/SKILL.md'));
      await until(() => skills.get('late')?.description === 'two', 'the edit');
      at.write('home/.claude/skills/mine/SKILL.md', md('mine'));
      await until(() => skills.get('mine'), "the person's skill");
    } finally {
      await watching.close();
    }
  });

  test('the text for /name holds the call, the folder and the body', async () => {
    const at = place();
    at.write('ws/.agents/skills/a/SKILL.md', md('a', 'd', 'Look for $1.'));
    at.write('ws/.agents/skills/a/scripts/run.sh', 'true\n');
    const text = (await at.open()).prompt('A', 'x$&y');
    expect(text).toMatch(/^\/a x\$&y\n/);
    expect(text).toContain('Look for x$&y.');
    expect(text).toContain('scripts/run.sh');
  });
});

describe('the skill tool', () => {
  const context = (root: string) => ({
    origin: { session: 's', row: 1, index: 0 },
    agent: 'Lead',
    root,
    signal: new AbortController().signal,
  });

  test("gives the body on demand, keeps the person's own from the model, and names what there is", async () => {
    const at = place();
    at.write('ws/.agents/skills/a/SKILL.md', md('a', 'd', 'Body of a: $ARGUMENTS'));
    at.write('home/.claude/skills/b/SKILL.md', md('b', 'd', 'Body of b'));
    at.write('ws/.agents/skills/p/SKILL.md', '---\nname: p\ndescription: d\ndisable-model-invocation: true\n---\nsecret\n');
    at.write('ws/.agents/skills/bad/SKILL.md', '---\n');
    const tool = skillTool({ skills: await at.open(), trusted: false });
    const run = (name: string, more = {}) => tool.run({ name, ...more }, context(at.root));
    expect((await run('a', { arguments: 'x y' })).text).toMatch(/not declared trusted[\s\S]*Body of a: x y/);
    expect((await run('/B')).text).not.toContain('trusted');
    expect(await run('p')).toMatchObject({ isError: true, text: expect.stringContaining('by the person only') });
    expect(await run('nope')).toMatchObject({ isError: true, text: expect.stringContaining('the skills are: a, b') });
    expect(await run('bad')).toMatchObject({ isError: true, text: expect.stringContaining('no closing ---') });
    at.write('ws/.agents/skills/new/SKILL.md', md('new', 'd', 'just made'));
    expect((await run('new')).text).toContain('just made');
  });

  test('files of a skill outside the root may be read, and nothing beside them', async () => {
    const at = place();
    at.write('home/.claude/skills/b/SKILL.md', md('b'));
    const guide = at.write('home/.claude/skills/b/guide.md', 'g');
    at.write('home/.claude/other.txt', 'o');
    symlinkSync('../../other.txt', join(dirname(guide), 'link.txt'));
    const skills = await at.open();
    const rules = { root: at.root, outputs: join(at.root, 'o'), outputsPrefix: '.o/', closed: [], readable: skills.folders() };
    expect(placeOf(rules, guide, 'read')).toMatchObject({ real: guide, exists: true });
    expect(() => placeOf(rules, guide, 'write')).toThrow(/outside/);
    expect(() => placeOf(rules, join(dirname(guide), 'link.txt'), 'read')).toThrow(/outside/);
    expect(() => placeOf(rules, join(dirname(guide), '../../other.txt'), 'read')).toThrow(/outside/);
  });
});
