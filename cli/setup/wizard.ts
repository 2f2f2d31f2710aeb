// The first-time wizard: from nothing to a proven model, saved settings and identity files. It only asks and decides;
// the terminal, the network and the disk come in as `Prompts` and `SetupWork`.
import { address, secret } from '../../store/config/key.ts';
import { providerNamed } from '../../store/config/providers.ts';
import { errorFacts, isAbort } from '../../store/errors.ts';
import type { Text } from '../text/text.ts';
import type { Answers, Credential } from './answers.ts';
import { type Found, providerChoices, type SetupProvider } from './offers.ts';
import type { Prompts } from './prompts.ts';

export interface SetupWork {
  /** What is on this machine now; asked again after the person logged in elsewhere. */
  find(): Found;
  /** Model ids of the endpoint; throws when it does not say. */
  listModels(answers: Omit<Answers, 'model'>): Promise<readonly string[]>;
  /** One real request; returns ms to the first token. */
  test(answers: Answers): Promise<{ readonly firstTokenMs: number; readonly calledTool: boolean }>;
  /** Saves the answers and that set-up is complete; returns the path. */
  save(answers: Answers): Promise<string>;
  /** Names of identity files that are missing; empty when there is no place for them. */
  missingIdentity(): readonly string[];
  createIdentity(): readonly string[];
  /** XZ_ variables that win over what is saved here. */
  readonly overriding: readonly string[];
}

/** `saved`: all is set up, but the person would not start now. */
export type SetupEnd = 'done' | 'saved' | 'cancelled';

/** Thrown inside to leave from any question. */
class Cancelled extends Error {}

/** Runs the wizard. `cancelled` saves nothing. */
export async function runWizard(prompts: Prompts, work: SetupWork, text: Text): Promise<SetupEnd> {
  const words = text.setup;
  prompts.intro(words.title);
  try {
    const answers = await provenAnswers(prompts, work, text);
    await offerIdentity(prompts, work, text);
    const path = await work.save(answers);
    prompts.note(words.savedNote(path, answers.provider, answers.model), words.saved);
    if (work.overriding.length > 0) prompts.warn(words.overridden(work.overriding.join(', ')));
    const start = await prompts.pause(words.pressEnter);
    prompts.outro(start === undefined ? words.later : words.ready);
    return start === undefined ? 'saved' : 'done';
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    prompts.outro(words.cancelled);
    return 'cancelled';
  }
}

function given<T>(answer: T | undefined): T {
  if (answer === undefined) throw new Cancelled();
  return answer;
}

/** Asks until a request went through, or the person keeps the answers as they are. */
async function provenAnswers(prompts: Prompts, work: SetupWork, text: Text): Promise<Answers> {
  const words = text.setup;
  let answers = await askAll(prompts, work, text);
  for (;;) {
    const tested = answers;
    try {
      await prompts.busy(
        words.testing(answers.model),
        () => work.test(tested),
        ({ firstTokenMs, calledTool }) => `${words.tested(Math.round(firstTokenMs))}${calledTool ? '' : ` ${words.noToolCall}`}`,
      );
      return answers;
    } catch (error) {
      if (isAbort(error)) throw new Cancelled();
      const said = text.errors.say(errorFacts(error));
      prompts.warn(said.text);
      if (said.hint !== undefined) prompts.info(said.hint);
    }
    const next = given(
      await prompts.select(words.testFailed, [
        { value: 'again', label: words.failedChoices.again },
        { value: 'change', label: words.failedChoices.change },
        { value: 'keep', label: words.failedChoices.keep },
      ]),
    );
    if (next === 'keep') return answers;
    if (next === 'change') answers = await askAll(prompts, work, text);
  }
}

async function askAll(prompts: Prompts, work: SetupWork, text: Text): Promise<Answers> {
  const found = work.find();
  const initial: SetupProvider | undefined =
    found.kimiLogin !== undefined ? 'kimi' : (['kimi', 'openai', 'anthropic'] as const).find((name) => found.variables[name] !== undefined);
  const provider = given(await prompts.select(text.setup.chooseProvider, providerChoices(text, found), initial ?? 'kimi'));
  const baseUrl = provider === 'custom' ? await askAddress(prompts, text, found.customUrl) : undefined;
  const credential = provider === 'kimi' ? await askKimi(prompts, work, text, found) : await askKey(prompts, text, provider, found);
  const model = await askModel(prompts, work, text, { provider, credential, baseUrl });
  return { provider, credential, baseUrl, model };
}

async function askAddress(prompts: Prompts, text: Text, initial: string | undefined): Promise<string> {
  const answer = given(
    await prompts.text(text.setup.askAddress, {
      example: 'http://127.0.0.1:8000/v1',
      ...(initial === undefined ? {} : { initial }),
      check: (value) => (address.fromText(value.trim()) === undefined ? text.setup.notAnAddress : undefined),
    }),
  );
  return address.fromText(answer.trim()) ?? answer;
}

/** Kimi: the login of an official program, or a key. */
async function askKimi(prompts: Prompts, work: SetupWork, text: Text, first: Found): Promise<Credential> {
  const words = text.setup;
  for (let found = first; ; found = work.find()) {
    const variable = found.variables.kimi;
    const way = given(
      await prompts.select(
        words.kimiHow,
        [
          found.kimiLogin === undefined
            ? { value: 'login', label: words.kimiLogin, hint: words.kimiLoginHow }
            : { value: 'login', label: `${words.kimiLogin} ✓`, hint: found.kimiLogin },
          ...(variable === undefined ? [] : [{ value: 'variable', label: words.useVariable(variable) }]),
          { value: 'key', label: words.typeKey, hint: words.kimiKeyWhere },
        ],
        found.kimiLogin === undefined && variable !== undefined ? 'variable' : 'login',
      ),
    );
    if (way === 'variable' && variable !== undefined) return { kind: 'variable', name: variable };
    if (way === 'key') return { kind: 'key', key: await askSecret(prompts, text) };
    if (found.kimiLogin !== undefined) return { kind: 'login' };
    prompts.note(words.kimiLoginSteps, words.kimiLogin);
    given(await prompts.pause(words.whenLoggedIn));
    if (work.find().kimiLogin !== undefined) return { kind: 'login' };
    prompts.warn(words.stillNoLogin);
  }
}

async function askKey(prompts: Prompts, text: Text, provider: SetupProvider, found: Found): Promise<Credential> {
  const words = text.setup;
  const variable = found.variables[provider];
  const choices = [
    ...(variable === undefined ? [] : [{ value: 'variable', label: words.useVariable(variable), hint: words.variableHint }]),
    { value: 'key', label: words.typeKey },
    ...(provider === 'custom' ? [{ value: 'none', label: words.noKey, hint: words.noKeyHint }] : []),
  ];
  const way = choices.length === 1 ? 'key' : given(await prompts.select(words.keyHow, choices));
  if (way === 'variable' && variable !== undefined) return { kind: 'variable', name: variable };
  return way === 'none' ? { kind: 'none' } : { kind: 'key', key: await askSecret(prompts, text) };
}

async function askSecret(prompts: Prompts, text: Text): Promise<string> {
  const answer = given(
    await prompts.secret(text.setup.askKey, (value) => (secret.fromText(value.trim()) === undefined ? text.setup.notAKey : undefined)),
  );
  return answer.trim();
}

const OTHER = '\u0000other';

async function askModel(prompts: Prompts, work: SetupWork, text: Text, soFar: Omit<Answers, 'model'>): Promise<string> {
  const words = text.setup;
  const usual = providerNamed(soFar.provider).model;
  let listed: readonly string[] = [];
  try {
    const all = await prompts.busy(
      words.listing,
      () => work.listModels(soFar),
      (ids) => words.listed(ids.length),
    );
    // No model has a name that a terminal would obey.
    listed = all.filter((id) => id !== '' && !/\p{Cc}/u.test(id));
  } catch (error) {
    if (isAbort(error)) throw new Cancelled();
    prompts.info(words.notListed(text.errors.say(errorFacts(error)).text));
  }
  const ids = [...new Set([...(usual === undefined ? [] : [usual]), ...listed])];
  if (listed.length > 0) {
    const choices = ids.map((id) => ({ value: id, label: id, ...(id === usual ? { hint: words.recommended } : {}) }));
    const chosen = given(await prompts.select(words.chooseModel, [...choices, { value: OTHER, label: words.otherModel }], ids[0]));
    if (chosen !== OTHER) return chosen;
  }
  const answer = await prompts.text(words.askModel, {
    ...(usual === undefined ? {} : { initial: usual }),
    check: (value) => (value.trim() === '' ? words.notAModel : undefined),
  });
  return given(answer).trim();
}

async function offerIdentity(prompts: Prompts, work: SetupWork, text: Text): Promise<void> {
  const missing = work.missingIdentity();
  if (missing.length === 0) return;
  if (given(await prompts.confirm(text.setup.askIdentity(missing.join(', ')), true))) {
    prompts.info(text.setup.identityMade(work.createIdentity().join('\n')));
  }
}
