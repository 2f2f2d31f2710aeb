import { describe, expect, test } from 'vitest';
import { type Answers, changesOf } from '../../../cli/setup/answers.ts';
import { type Found, providerChoices } from '../../../cli/setup/offers.ts';
import type { Choice, Prompts } from '../../../cli/setup/prompts.ts';
import { runWizard, type SetupWork } from '../../../cli/setup/wizard.ts';
import { en } from '../../../cli/text/en.ts';
import { zh } from '../../../cli/text/zh.ts';

const NOTHING: Found = {
  kimiLogin: undefined,
  customUrl: undefined,
  variables: { kimi: undefined, openai: undefined, anthropic: undefined, custom: undefined },
};

/** Answers in order; `undefined` cancels, `null` takes what is offered first. */
function written(answers: ReadonlyArray<string | boolean | null | undefined>) {
  const asked: Array<{ readonly message: string; readonly choices: readonly string[]; readonly initial: string | undefined }> = [];
  const said: string[] = [];
  let at = 0;
  const next = (message: string, choices: readonly string[], initial: string | undefined): string | boolean | null | undefined => {
    asked.push({ message, choices, initial });
    if (at >= answers.length) throw new Error(`no answer written for: ${message}`);
    return answers[at++];
  };
  const textual = (
    answer: string | boolean | null | undefined,
    initial: string | undefined,
    check: ((value: string) => string | undefined) | undefined,
  ) => {
    if (answer === undefined) return undefined;
    const value = answer === null ? (initial ?? '') : String(answer);
    const wrong = check?.(value);
    if (wrong !== undefined) throw new Error(wrong);
    return value;
  };
  const prompts: Prompts = {
    intro: (title) => said.push(title),
    outro: (text) => said.push(text),
    note: (text, title) => said.push(`${title}: ${text}`),
    info: (text) => said.push(text),
    warn: (text) => said.push(`! ${text}`),
    async select<T extends string>(message: string, choices: ReadonlyArray<Choice<T>>, initial?: T) {
      const answer = next(
        message,
        choices.map(({ label }) => label),
        initial,
      );
      if (answer === undefined) return undefined;
      const value = answer === null ? (initial ?? choices[0]?.value) : choices.find((choice) => choice.value === answer)?.value;
      if (value === undefined) throw new Error(`"${String(answer)}" is not offered by: ${message}`);
      return value;
    },
    text: async (message, { initial, check }) => textual(next(message, [], initial), initial, check),
    secret: async (message, check) => textual(next(message, [], undefined), undefined, check),
    async confirm(message, initial) {
      const answer = next(message, [], undefined);
      return answer === undefined ? undefined : answer === null ? initial : answer === true;
    },
    pause: async (message) => (next(message, [], undefined) === undefined ? undefined : true),
    async busy(message, work, ended) {
      said.push(message);
      const value = await work();
      said.push(ended(value));
      return value;
    },
  };
  return { prompts, asked, said, used: () => at };
}

function work(found: Found, more: Partial<SetupWork> = {}) {
  const saved: Answers[] = [];
  const tested: Answers[] = [];
  const made: SetupWork = {
    find: () => found,
    listModels: async () => ['m1', 'm2'],
    test: async (answers) => {
      tested.push(answers);
      return { firstTokenMs: 12.4, calledTool: true };
    },
    save: async (answers) => {
      saved.push(answers);
      return '/home/p/.xz/config.toml';
    },
    missingIdentity: () => ['SOUL.md'],
    createIdentity: () => ['/w/.agents/SOUL.md'],
    overriding: [],
    ...more,
  };
  return { made, saved, tested };
}

describe('the offers', () => {
  test('stand in their order, say what each needs, and mark what was found', () => {
    const found: Found = { ...NOTHING, kimiLogin: '/k.json', variables: { ...NOTHING.variables, anthropic: 'ANTHROPIC_AUTH_TOKEN' } };
    const choices = providerChoices(en, found);
    expect(choices.map(({ value }) => value)).toEqual(['kimi', 'openai', 'anthropic', 'custom']);
    expect(choices[0]?.label).toMatch(/^Kimi Code \(recommended\) ✓ · .*256K/);
    expect(choices[1]?.label).toBe('OpenAI · an API key');
    expect(choices[2]?.hint).toContain('ANTHROPIC_AUTH_TOKEN');
    expect(providerChoices(zh, found)[3]?.label).toContain('地址');
  });
});

describe('the wizard', () => {
  test('goes from a typed key to a saved, tested model', async () => {
    const { made, saved, tested } = work(NOTHING);
    const { prompts, said } = written(['openai', ' sk-123 ', 'm2', true, null]);
    expect(await runWizard(prompts, made, en)).toBe('done');
    const expected = { provider: 'openai', credential: { kind: 'key', key: 'sk-123' }, baseUrl: undefined, model: 'm2' };
    expect(tested).toEqual([expected]);
    expect(saved).toEqual([expected]);
    expect(said.join('\n')).toContain('/home/p/.xz/config.toml');
    expect(said.join('\n')).toContain('first token after 12 ms');
    expect(said.join('\n')).not.toContain('sk-123');
  });

  test('offers a Kimi login that is there, first', async () => {
    const { made, saved } = work({ ...NOTHING, kimiLogin: '/k.json' });
    const { prompts, asked } = written([null, null, null, false, null]);
    expect(await runWizard(prompts, made, zh)).toBe('done');
    expect(saved[0]).toMatchObject({ provider: 'kimi', credential: { kind: 'login' }, model: 'kimi-for-coding' });
    expect(asked[0]?.message).toBe(zh.setup.chooseProvider);
    expect(asked[1]?.choices[0]).toContain('✓');
  });

  test('waits for a login made elsewhere, and looks again', async () => {
    let found = NOTHING;
    let looks = 0;
    const { made, saved } = work(NOTHING, {
      find: () => {
        if (++looks >= 4) found = { ...NOTHING, kimiLogin: '/k.json' };
        return found;
      },
    });
    const { prompts, said } = written(['kimi', 'login', null, 'login', null, 'm1', false, null]);
    expect(await runWizard(prompts, made, en)).toBe('done');
    expect(said).toContain(`! ${en.setup.stillNoLogin}`);
    expect(saved[0]?.credential).toEqual({ kind: 'login' });
  });

  test('stores nothing for a key from the environment', async () => {
    const { made, saved } = work({ ...NOTHING, variables: { ...NOTHING.variables, anthropic: 'ANTHROPIC_AUTH_TOKEN' } });
    const { prompts } = written([null, 'variable', 'm1', false, null]);
    await runWizard(prompts, made, en);
    expect(saved.flatMap(changesOf).filter(({ path }) => path[0] === 'auth')).toEqual([
      { path: ['auth', 'type'], value: undefined },
      { path: ['auth', 'api_key'], value: undefined },
    ]);
  });

  test('asks for address, key and model of a custom endpoint that lists none', async () => {
    const { made, saved } = work(NOTHING, { listModels: () => Promise.reject(new Error('404')) });
    const { prompts, said } = written(['custom', 'http://127.0.0.1:8000/v1/', 'none', 'local-model', false, null]);
    await runWizard(prompts, made, en);
    expect(saved[0]).toEqual({
      provider: 'custom',
      credential: { kind: 'none' },
      baseUrl: 'http://127.0.0.1:8000/v1',
      model: 'local-model',
    });
    expect(said.join('\n')).toContain('404');
  });

  test('after a failed request the answers can be tried again, changed, or kept', async () => {
    let fails = 2;
    const { made, saved } = work(NOTHING, {
      test: () => (fails-- > 0 ? Promise.reject(new Error('401 refused')) : Promise.resolve({ firstTokenMs: 1, calledTool: false })),
    });
    const { prompts, said } = written(['openai', 'k1', 'm1', 'again', 'change', 'openai', 'k2', 'm2', false, null]);
    expect(await runWizard(prompts, made, en)).toBe('done');
    expect(saved).toMatchObject([{ credential: { key: 'k2' }, model: 'm2' }]);
    expect(said).toContain('! 401 refused');
    const kept = work(NOTHING, { test: () => Promise.reject(new Error('offline')) });
    await runWizard(written(['openai', 'k', 'm1', 'keep', false, null]).prompts, kept.made, en);
    expect(kept.saved).toHaveLength(1);
  });

  test.each([0, 1, 2, 3])('leaving at question %i saves nothing', async (at) => {
    const { made, saved } = work(NOTHING);
    const answers = ['openai', 'sk-1', 'm1', true].slice(0, at);
    expect(await runWizard(written([...answers, undefined]).prompts, made, en)).toBe('cancelled');
    expect(saved).toEqual([]);
  });

  test('offers no model whose name a terminal would obey', async () => {
    const { made } = work(NOTHING, { listModels: () => Promise.resolve(['m1', 'm2\u001b]0;stolen\u0007', '']) });
    const { prompts, asked } = written(['openai', 'sk-1', 'm1', false, null]);
    await runWizard(prompts, made, en);
    const offered = asked.find(({ message }) => message === en.setup.chooseModel)?.choices ?? [];
    expect(offered.join()).toContain('m1');
    expect(offered.join()).not.toContain('m2');
  });

  test('leaving when all is saved does not say that nothing was', async () => {
    const { made, saved } = work(NOTHING);
    const { prompts, said } = written(['openai', 'sk-1', 'm1', false, undefined]);
    expect(await runWizard(prompts, made, en)).toBe('saved');
    expect(saved).toHaveLength(1);
    expect(said.join('\n')).not.toContain(en.setup.cancelled);
  });

  test('refuses an address and a key that cannot be one', async () => {
    const { made } = work(NOTHING);
    await expect(runWizard(written(['custom', 'localhost:8000']).prompts, made, en)).rejects.toThrow(en.setup.notAnAddress);
    await expect(runWizard(written(['openai', 'two words']).prompts, made, en)).rejects.toThrow(en.setup.notAKey);
  });
});
