import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../../store/config/config.ts';
import { type Change, editConfigText, saveSettings } from '../../../store/config/save.ts';
import { changeOf, consequences } from '../../../store/config/set.ts';
import { XzError } from '../../../store/errors.ts';
import { installFaultHook } from '../../../store/faults.ts';
import { homeLayout } from '../../../store/layout.ts';
import { openLocks } from '../../../store/lock.ts';
import { fakeClock } from '../../helpers/clock.ts';
import { tempFolder } from '../../helpers/temp.ts';

const RICH = [
  '\uFEFF# my settings',
  '[model]   # the brain',
  'provider = "kimi"   # p',
  "model = 'k1'   # which",
  '',
  '[future]',
  'x = 1',
  'big = 9007199254740993',
  'when = 1979-05-27T07:32:00Z',
  'day = 1979-05-27',
  'inline = { a = 1, b = [1,',
  ' 2 ] } # odd',
  's = """a',
  '[model]',
  'b"""',
  'f = 1.0',
  'hex = 0x2F',
  '[[list]]',
  'a=1',
  '[[list]]',
  '"quoted.key"=0',
  '',
].join('\r\n');

const edit = (text: string, ...changes: Change[]) => editConfigText('/c.toml', text, changes);

function scene() {
  const home = homeLayout({ HOME: tempFolder() });
  const locks = openLocks(home.locks, 'test', fakeClock());
  return { home, save: (...changes: Change[]) => saveSettings(home, locks, changes) };
}

afterEach(() => installFaultHook(undefined));

describe('an edit', () => {
  test('changes one line and nothing else', async () => {
    const after = await edit(RICH, changeOf('model.model', 'k2'));
    const before = RICH.split('\r\n');
    const changed = after.split('\r\n').filter((line, at) => line !== before[at]);
    expect(after.split('\r\n')).toHaveLength(before.length);
    expect(changed).toEqual(['model = "k2"   # which']);
  });

  test('adds what is missing and keeps every old line', async () => {
    const after = await edit(
      RICH,
      changeOf('team.max', '2'),
      changeOf('memory.embedding.model', 'e'),
      changeOf('models.k2.6.reasoning', 'true'),
    );
    for (const line of RICH.split('\r\n')) expect(after.split('\r\n')).toContain(line);
    expect(after).not.toMatch(/[^\r]\n/);
    const home = homeLayout({ HOME: tempFolder() });
    mkdirSync(home.root, { recursive: true });
    writeFileSync(home.config, after);
    const config = await loadConfig({ home, env: {}, flags: {} });
    expect(config.team.max).toBe(2);
    expect(config.embedding.model).toBe('e');
    expect(config.models['k2.6']).toEqual({ reasoning: true });
  });

  test('removes a key with its line', async () => {
    const after = await edit('[auth]\n# keep\ntype = "api_key"\n\napi_key = "x"\n[team]\nmax = 1\n', {
      path: ['auth', 'api_key'],
      value: undefined,
    });
    expect(after).toContain('# keep');
    expect(after).not.toContain('api_key = "x"');
    expect(after).toContain('max = 1');
  });

  test.each([
    'team = { max = 1, worktrees = true } # mine\n',
    'team.max = 1\nteam.worktrees = true\n',
    '[team]\n"max"=1\nworktrees = true\n',
  ])('finds the key however it is written: %j', async (text) => {
    const after = await edit(text, changeOf('team.max', '2'));
    expect(after).toContain(text.includes('mine') ? '# mine' : '2');
    expect(after).toMatch(/max"?\s*=\s*2/);
    expect(after).toContain('worktrees = true');
  });

  test('of a file that does not parse is refused, naming line and key', async () => {
    const error: unknown = await edit('[model]\nmodel = "k\n', changeOf('model.model', 'k2')).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(XzError);
    expect(error).toMatchObject({ code: 'bad_config', data: { line: 2, key: 'model.model' } });
  });
});

describe('saving', () => {
  test.each([0o000, 0o022])('makes a private file in a private folder under umask %i', async (mask) => {
    const { home, save } = scene();
    const before = process.umask(mask);
    const seen: number[] = [];
    installFaultHook(({ op, path }) => {
      // Every write of the temp file already finds it private.
      if (op === 'write' && path.includes('config.toml')) seen.push(statSync(path).mode & 0o777);
      return undefined;
    });
    try {
      await save(changeOf('auth.api_key', 'sk-secret'));
    } finally {
      process.umask(before);
    }
    expect(seen).toEqual([0o600]);
    expect(statSync(home.config).mode & 0o777).toBe(0o600);
    expect(statSync(home.root).mode & 0o777).toBe(0o700);
  });

  test('tightens a loose file and keeps the symlink into the dotfiles', async () => {
    const { home, save } = scene();
    const dotfiles = join(tempFolder(), 'xz.toml');
    writeFileSync(dotfiles, '# mine\n[model]\nmodel = "a"\n');
    chmodSync(dotfiles, 0o644);
    mkdirSync(dirname(home.config), { recursive: true });
    symlinkSync(dotfiles, home.config);
    expect(await save(changeOf('model.model', 'b'))).toBe(true);
    expect(lstatSync(home.config).isSymbolicLink()).toBe(true);
    expect(readFileSync(dotfiles, 'utf8')).toBe('# mine\n[model]\nmodel = "b"\n');
    expect(statSync(dotfiles).mode & 0o777).toBe(0o600);
    expect(await save(changeOf('model.model', 'b'))).toBe(false);
  });

  test('a failing disk leaves the old file whole', async () => {
    const { home, save } = scene();
    await save(changeOf('model.model', 'a'));
    const before = readFileSync(home.config, 'utf8');
    installFaultHook(({ op, path }) => {
      if (op === 'fsync' && path.includes('config.toml')) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
      return undefined;
    });
    await expect(save(changeOf('model.model', 'b'))).rejects.toThrow('ENOSPC');
    expect(readFileSync(home.config, 'utf8')).toBe(before);
  });

  test('two savers at once lose nothing', async () => {
    const { home, save } = scene();
    await Promise.all([save(changeOf('team.max', '1')), save(changeOf('ui.theme', 'mono')), save(changeOf('team.worktrees', 'yes'))]);
    const config = await loadConfig({ home, env: {}, flags: {} });
    expect([config.team.max, config.ui.theme, config.team.worktrees]).toEqual([1, 'mono', true]);
  });

  test('no folder called "~" is ever made', async () => {
    const { home } = scene();
    mkdirSync(home.root, { recursive: true });
    writeFileSync(home.config, '[auth]\noauth_credentials_path = "~/k.json"\n');
    const config = await loadConfig({ home, env: { HOME: dirname(home.root) }, flags: {} });
    expect(config.auth.credentialsPath).toBe('~/k.json');
    expect(existsSync(join(process.cwd(), '~'))).toBe(false);
  });
});

describe('config set', () => {
  test('refuses unknown keys and bad values', () => {
    expect(() => changeOf('team.size', '3')).toThrow('there is no setting "team.size"');
    expect(() => changeOf('team.max', '4')).toThrow('team.max must be a whole number from 1 to 3');
    expect(() => changeOf('auth.api_key', 'a b')).toThrow(/^auth\.api_key must be printable ASCII without blanks$/);
    expect(changeOf('permissions.allow', 'bash(git status*), read_file')).toEqual({
      path: ['permissions', 'allow'],
      value: ['bash(git status*)', 'read_file'],
    });
  });

  test('takes a list as JSON and TOML write it, and nothing that only looks like one', () => {
    const listOf = (text: string) => changeOf('permissions.allow', text).value;
    expect(listOf('["bash(npm test*)"]')).toEqual(['bash(npm test*)']);
    expect(listOf(`[ 'bash(a, "b")' , "c\\"]d", ]`)).toEqual(['bash(a, "b")', 'c"]d']);
    expect(listOf('[]')).toEqual([]);
    expect(listOf('bash(npm test*)')).toEqual(['bash(npm test*)']);
    for (const wrong of ['["a"', '[a]', '["a", 1]', '["a" "b"]', '["a"] b', '[,]', '{"a":1}', '"a"', 'a]', '["\\x"]'])
      expect(() => listOf(wrong), wrong).toThrow('permissions.allow must be a list of texts');
  });

  test('another provider takes away what belonged to the old one', async () => {
    const { home, save } = scene();
    await save(changeOf('model.provider', 'custom'), changeOf('model.base_url', 'http://127.0.0.1:9'), changeOf('auth.api_key', 'mine'));
    const config = await loadConfig({ home, env: {}, flags: {} });
    const change = changeOf('model.provider', 'openai');
    await save(change, ...consequences(config, change));
    const after = await loadConfig({ home, env: {}, flags: {} });
    expect(after.model).toEqual({ provider: 'openai', model: undefined, baseUrl: undefined });
    expect(after.auth.apiKey).toBeUndefined();
    expect(consequences(after, change)).toEqual([]);
  });
});
