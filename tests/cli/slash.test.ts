import { describe, expect, test } from 'vitest';
import { composeApp } from '../../cli/compose.ts';
import { createPrinter } from '../../cli/print/printer.ts';
import type { SlashContext } from '../../cli/slash/command.ts';
import type { StorePorts } from '../../cli/slash/ports.ts';
import { runSlash, slashCommands, slashHints } from '../../cli/slash/registry.ts';
import { en } from '../../cli/text/en.ts';
import { zh } from '../../cli/text/zh.ts';
import { type ScriptedConversation, scriptedConversation } from '../helpers/scripted-conversation.ts';
import { tempWorkspace } from '../helpers/temp.ts';

interface Desk {
  readonly context: SlashContext;
  readonly conversation: ScriptedConversation;
  readonly said: string[];
  run(line: string): Promise<string>;
}

function desk(stores: StorePorts = {}, picks: readonly string[] = [], dir = '/nowhere'): Desk {
  const said: string[] = [];
  const answers = [...picks];
  const conversation = scriptedConversation();
  const print = createPrinter({ stdout: process.stdout, stderr: process.stderr, json: false, colour: false });
  const app = composeApp({
    env: { PATH: process.env.PATH },
    cwd: dir,
    globals: { workspace: dir },
    language: 'en',
    text: en,
    print,
    command: '',
  });
  const context: SlashContext = {
    ...{ app, conversation, stores, say: (text) => void said.push(text) },
    pick: async () => answers.shift(),
    memoryChanged: () => {},
    sessionChanged: () => void said.push('(session changed)'),
  };
  return {
    context,
    conversation,
    said,
    async run(line) {
      const outcome = await runSlash(context, line);
      return `${outcome}: ${said.splice(0).join('\n')}`;
    },
  };
}

const stores = (): StorePorts & { readonly done: string[] } => {
  const done: string[] = [];
  return {
    done,
    tasks: {
      list: () => [{ id: 'lexer', title: 'lexer', state: 'in_progress', assignee: 'ann', waitingFor: ['words'] }],
      show: (id) => `about ${id}`,
      update: async (id, change) => {
        done.push(`update ${id} ${change}`);
        return id;
      },
      archive: async (id) => {
        done.push(`archive ${id}`);
        return id;
      },
      clear: async () => 3,
    },
    memory: {
      topics: () => ['work/tests'],
      show: (topic) => `all of ${topic}`,
      forget: async (topic) => topic,
      organize: async () => 'two topics merged',
      conflicts: () => [{ id: 'c1', topic: 'editor', older: 'vim', newer: 'emacs' }],
      resolve: async (id, keep) => {
        done.push(`resolve ${id} ${keep}`);
        return '';
      },
    },
    schedule: {
      list: () => [{ id: 'backup', description: 'daily | backup', nextRun: undefined, lastStatus: 'success', enabled: true }],
      remove(id) {
        done.push(`remove ${id}`);
        return `${id}-in-full`;
      },
    },
    skills: { list: () => [{ name: 'Review', description: 'reviews a change' }], prompt: (name, args) => `use ${name}: ${args}` },
    sessions: { list: () => [{ id: '2026-02-28-aaaaaa', title: 'yesterday', messages: 4, updatedAt: 0 }] },
  };
};

describe('slash commands', () => {
  test('are all in the help, with their aliases and the skills', async () => {
    const help = await desk(stores()).run('/help');
    for (const name of [
      'memory',
      'task',
      'team',
      'crontab',
      'skill',
      'model',
      'mode',
      'compact',
      'sessions',
      'resume',
      'new',
      'cost',
      'diff',
      'todo',
      'exit',
    ])
      expect(help).toContain(`\`/${name}`);
    for (const alias of ['/tokens', '/reset', '/quit', '/Review']) expect(help).toContain(alias);
  });

  test('have help in both languages', () => {
    for (const command of slashCommands) for (const text of [en, zh]) expect(command.help(text).length).toBeGreaterThan(1);
    expect(slashHints(en, stores()).map((hint) => hint.name)).toContain('review');
  });

  test('an unknown one names what was perhaps meant', async () => {
    await expect(desk().run('/taks')).rejects.toMatchObject({ code: 'not_found', hint: expect.stringContaining('/task') });
  });

  test('a skill is sent as a request with its arguments', async () => {
    const { run, conversation } = desk(stores());
    await run('/review the last commit');
    expect(conversation.asked).toEqual(['submit: use Review: the last commit']);
  });

  test('/team switches, shows, merges and releases', async () => {
    const { run, conversation } = desk();
    expect(await run('/team')).toContain('The team is off');
    expect(await run('/team on')).toContain('The team is on');
    expect(await run('/team merge ann')).toContain('merged ann');
    expect(await run('/team release ann')).toContain('released ann');
    expect(await run('/team off')).toContain('off');
    expect(conversation.asked).toEqual(['team on', 'merge ann', 'release ann', 'team off']);
    await expect(run('/team dance')).rejects.toMatchObject({ code: 'bad_input' });
  });

  test('/task lists, shows, updates, archives and clears after asking', async () => {
    const ports = stores();
    const { run } = desk(ports, ['yes', 'no']);
    expect(await run('/task')).toContain('| lexer | in_progress | ann | words |');
    expect(await run('/task show lexer')).toContain('about lexer');
    expect(await run('/task lexer')).toContain('about lexer');
    await run('/task update lexer completed');
    await run('/task archive lexer');
    expect(ports.done).toEqual(['update lexer completed', 'archive lexer']);
    expect(await run('/task clear')).toContain('Removed 3 tasks');
    expect(await run('/task clear')).toBe('stay: ');
  });

  test('/memory shows, forgets, organises, resolves and is switched for the session', async () => {
    const ports = stores();
    const { run, conversation } = desk(ports, ['old'], tempWorkspace().dir);
    expect(await run('/memory')).toContain('work/tests');
    expect(await run('/memory show work/tests')).toContain('all of work/tests');
    expect(await run('/memory organize')).toContain('two topics merged');
    await run('/memory resolve');
    expect(ports.done).toEqual(['resolve c1 old']);
    expect(await run('/memory off')).toContain('off for this session');
    expect(await run('/memory')).toMatch(/off for this session[\s\S]*work\/tests/);
    expect(conversation.asked).toEqual(['memory: false']);
  });

  test('/crontab lists and deletes', async () => {
    const ports = stores();
    const { run } = desk(ports, ['backup']);
    expect(await run('/crontab')).toContain('daily \\| backup');
    await run('/crontab delete');
    await run('/crontab delete other');
    expect(await run('/crontab delete bac')).toContain('Removed bac-in-full');
    expect(ports.done).toEqual(['remove backup', 'remove other', 'remove bac']);
    const nothing = desk({ schedule: { list: () => [], remove: (id) => id } });
    expect(await nothing.run('/crontab delete')).toContain('Nothing here yet');
  });

  test('/sessions and /resume pick from a list, /new begins anew, none of them while a turn runs', async () => {
    const { run, conversation } = desk(stores(), ['2026-02-28-aaaaaa']);
    expect(await run('/sessions')).toContain('(session changed)');
    await run('/resume 2026-02-28-bbbbbb');
    await run('/resume 2026-02-28-a');
    await run('/reset');
    const resumed = ['a', 'b', 'a'].map((letter) => `resume: 2026-02-28-${letter.repeat(6)}`);
    expect(conversation.asked).toEqual([...resumed, 'new']);
    conversation.setRunning(true);
    await expect(run('/new')).rejects.toMatchObject({ code: 'refused' });
  });

  test('/mode, /model, /cost, /todo, /compact and /exit', async () => {
    const { run, conversation } = desk();
    await run('/mode plan');
    await run('/model other-model custom');
    expect(conversation.asked).toEqual(['mode: plan', 'model: other-model']);
    await expect(run('/mode wild')).rejects.toMatchObject({ code: 'bad_input' });
    expect(await run('/tokens')).toMatch(/Lead \| 41\.2k \| subscription[\s\S]*ann \| 12\.1k[\s\S]*together \| 53\.3k/);
    expect(await run('/todo')).toContain('- [x] read the parser');
    expect(await run('/compact')).toContain('compacted');
    expect(await run('/quit')).toBe('leave: ');
  });

  test('a store that is not there says so', async () => {
    await expect(desk().run('/crontab')).rejects.toMatchObject({ code: 'not_configured' });
  });

  test('/diff shows changes and new files, also before the first commit, and says when there is no repository', async () => {
    const workspace = tempWorkspace({ files: { 'a.txt': 'one\n' } });
    const here = desk({}, [], workspace.dir);
    expect(await here.run('/diff')).toContain('Nothing has changed');
    workspace.write('a.txt', 'two\n```\n');
    workspace.write('新文件.txt', 'x\n');
    const shown = await here.run('/diff');
    expect(shown).toContain('````diff');
    expect(shown).toContain('+two');
    expect(shown).toContain('`新文件.txt`');
    workspace.write('a.txt', `${'line\n'.repeat(50_000)}`);
    expect(await here.run('/diff')).toMatch(/^… \d+ more lines$/m);
    const plain = tempWorkspace({ git: false });
    expect(await desk({}, [], plain.dir).run('/diff')).toContain('no git repository');
  });
});
