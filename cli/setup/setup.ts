// Runs the wizard with the real terminal, network and disk.
import { isoWithOffset } from '../../store/clock.ts';
import { inspectConfig } from '../../store/config/config.ts';
import { badConfig } from '../../store/config/problem.ts';
import { resolveModel } from '../../store/config/resolve.ts';
import { saveSettings } from '../../store/config/save.ts';
import { XzError } from '../../store/errors.ts';
import { createIdentity, missingIdentity } from '../../store/identity/templates.ts';
import { authOf, modelSettings } from '../../workers/agent/model/from-config.ts';
import { openModel } from '../../workers/agent/model/model.ts';
import { listModels, probeModel } from '../../workers/agent/model/probe.ts';
import type { App } from '../compose.ts';
import { changesOf, completion, OVERRIDING, settingsWith } from './answers.ts';
import { atTerminal } from './offer.ts';
import { findOnMachine } from './offers.ts';
import type { Prompts } from './prompts.ts';
import { runWizard, type SetupEnd, type SetupWork } from './wizard.ts';

const LIMIT_MS = 120_000;

/** Runs the wizard at this terminal. Throws `not_configured` without one, `bad_config` when the file cannot be edited. */
export async function setUp(app: App): Promise<SetupEnd> {
  if (!atTerminal(app))
    throw new XzError('not_configured', 'the wizard needs a terminal', {
      hint: 'set XZ_API_KEY (and XZ_PROVIDER, XZ_MODEL, XZ_BASE_URL), or use `xz config set KEY VALUE`',
      data: { kind: 'wizard' },
    });
  const { clackPrompts } = await import('./clack.ts');
  return setUpWith(app, clackPrompts(app.text));
}

async function setUpWith(app: App, prompts: Prompts): Promise<SetupEnd> {
  const input = await app.configInput();
  const { config, problems } = await inspectConfig(input);
  // A file that does not parse cannot be edited, and answers beside a bad value would not be used.
  if (problems.length > 0) throw badConfig(problems);
  const layout = app.layout();
  const work: SetupWork = {
    find: () => findOnMachine(config, app.clock.now()),
    async listModels(answers) {
      const resolved = resolveModel(await settingsWith(input, { ...answers, model: 'unknown' }), 'main');
      return listModels(resolved.api, resolved.baseUrl, await authOf(resolved.auth, app.identity()), AbortSignal.timeout(LIMIT_MS));
    },
    async test(answers) {
      const resolved = resolveModel(await settingsWith(input, answers), 'main');
      return probeModel(openModel(modelSettings(resolved, app.identity()), app.clock), app.clock, AbortSignal.timeout(LIMIT_MS));
    },
    async save(answers) {
      await saveSettings(app.home(), app.homeLocks(), [...changesOf(answers), ...completion(isoWithOffset(app.clock.now()))]);
      return app.home().config;
    },
    missingIdentity: () => missingIdentity(layout),
    createIdentity: () => createIdentity(layout, app.text.setup.identity),
    overriding: OVERRIDING.filter((name) => Boolean(app.env[name])),
  };
  return runWizard(prompts, work, app.text);
}
