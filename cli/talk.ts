// `xz` at a terminal: the full screen or the REPL, and the conversation in it. What the lead is made of is loaded when the
// screen already stands.
import type { ModelFacts } from '../lead/conversation.ts';
import type { Config } from '../store/config/config.ts';
import { resolveModel } from '../store/config/resolve.ts';
import { resolvePrefix } from '../store/ids.ts';
import type { SessionRow } from '../store/sessions/sessions.ts';
import type { App } from './compose.ts';
import { offerSetup } from './setup/offer.ts';
import type { CommandCall } from './table/command.ts';
import { VERSION } from './version.ts';

const CANCELLED = 130;

/**
 * Talks until the person leaves; resolves to the exit code. With `request`, that is sent first, as if typed. Throws
 * `not_configured` where no model can be named.
 */
export async function runTalk(app: App, call: CommandCall, request?: string): Promise<number> {
  const plain = call.options.repl === true || isPlain(app);
  // Read from the disk while the settings are.
  const loading = plain ? undefined : import('./screen/run.ts');
  loading?.catch(() => undefined);
  // The demo brings its own model: there is nothing to set up.
  if (request === undefined && !(await offerSetup(app))) return CANCELLED;
  const config = await app.config();
  const session = await chosenSession(app, call);
  const open = async () => (await import('./open-talk.ts')).openTalk(app, { session, request });
  if (loading === undefined) {
    const { runRepl } = await import('./repl/run.ts');
    return runRepl(app, await open());
  }
  const { runScreen } = await loading;
  return runScreen(app, {
    ...{ version: VERSION, theme: config.ui.theme, teamMax: config.team.max, mode: config.permissions.mode },
    ...{ model: namedModel(config), open },
  });
}

/** What the settings say of the model, before it is opened. */
function namedModel(config: Config): ModelFacts {
  if (config.model.provider === 'scripted')
    return { provider: 'scripted', model: 'scripted', host: 'scripted', window: 0, price: 'unknown' };
  const { provider, model, baseUrl } = resolveModel(config, 'main');
  return { provider, model, host: new URL(baseUrl).host, window: config.context.maxTokens ?? 0, price: 'unknown' };
}

/** A terminal that cannot place a cursor gets lines only. */
function isPlain(app: App): boolean {
  return ['', 'dumb', 'unknown'].includes(app.env.TERM ?? '');
}

/** The session that `--resume [ID]` names; undefined: a new one. */
async function chosenSession(app: App, call: CommandCall): Promise<SessionRow | undefined> {
  const named = call.options.resume;
  if (named === undefined) return undefined;
  const sessions = await app.sessions();
  if (named === true) return sessions.latest();
  return sessions.get(resolvePrefix(named, sessions.ids('lead'), 'session'));
}
