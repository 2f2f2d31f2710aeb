// `xz` at a terminal: makes the lead, its wake-ups and stores, and hands the conversation to the full screen or to the
// REPL. Loaded only then.
import { basename } from 'node:path';
import type { Conversation } from '../lead/conversation.ts';
import { createEvents } from '../lead/events-hub.ts';
import { LEAD_NAME } from '../lead/lead.ts';
import { startWakeUps } from '../lead/wake-ups.ts';
import { errorFacts, errorMessage } from '../store/errors.ts';
import { createFirstIdentity } from '../store/identity/templates.ts';
import { resolvePrefix } from '../store/ids.ts';
import type { SessionRow } from '../store/sessions/sessions.ts';
import { isTrusted } from '../store/trust.ts';
import { watchSkills } from '../workers/agent/skills/watch.ts';
import { skillsInput } from './commands/skill/open.ts';
import type { App } from './compose.ts';
import { openLead } from './open-lead.ts';
import { atTerminal, offerSetup } from './setup/setup.ts';
import { openStorePorts } from './slash/open-stores.ts';
import type { CommandCall } from './table/command.ts';
import { VERSION } from './version.ts';

/** A due task that runs when xz is left gets this long before it is recorded as interrupted. */
const WAKE_UP_GRACE_MS = 500;
const CANCELLED = 130;

/**
 * Talks until the person leaves; resolves to the exit code. With `request`, that is sent first, as if typed. Throws
 * `not_configured` where no model can be named.
 */
export async function runTalk(app: App, call: CommandCall, request?: string): Promise<number> {
  // The demo brings its own model: there is nothing to set up.
  if (request === undefined && !(await offerSetup(app))) return CANCELLED;
  const config = await app.config();
  const session = await chosenSession(app, call);
  // Before the lead reads them.
  const aboutIdentity = request === undefined ? firstIdentity(app) : undefined;
  const opened = await openLead(app, { title: '', attended: true, ...(session === undefined ? {} : { session }) });
  const { lead, team } = opened;
  const own = createEvents();
  const report = (error: unknown) => own.emit({ type: 'error', agent: LEAD_NAME, ...errorFacts(error) });
  let closing: Promise<void> | undefined;
  let watchingSkills: ReturnType<typeof watchSkills> | undefined;
  let stopWakeUps = async (): Promise<void> => {};
  const conversation: Conversation = {
    ...lead,
    listen(listener) {
      const stops = [opened.listen(listener), own.listen(listener)];
      return () => {
        for (const stop of stops) stop();
      };
    },
    close() {
      closing ??= (async () => {
        await stopWakeUps();
        await watchingSkills?.then((watching) => watching.close()).catch(() => undefined);
        await opened.close();
      })();
      return closing;
    },
  };
  try {
    const { skills } = opened.parts;
    const stores = { ...(await openStorePorts(app, skills)), recalled: () => opened.memory?.recalled() ?? [] };
    watchingSkills = watchSkills(skillsInput(app), app.clock, () => {
      skills.refresh().catch(report);
    });
    watchingSkills.catch(report);
    const db = await app.database();
    const wakeUpsBegin = () => {
      if (!config.scheduler.enabled || closing !== undefined) return;
      const wakeUps = startWakeUps({
        ...{ conversation, layout: app.layout(), locks: app.locks(), db, clock: app.clock },
        ...{ checkIntervalMs: config.scheduler.checkIntervalMs, onProblem: (text) => own.emit({ type: 'error', agent: LEAD_NAME, text }) },
      });
      stopWakeUps = () => wakeUps.stop(WAKE_UP_GRACE_MS);
    };
    // What a kill or an exit left open goes on by itself, as soon as there is somebody to see it; what fell due comes
    // after it, since a new turn would settle the open one.
    const goOn = async () => {
      await team.resume();
      await lead.finishOpen();
    };
    const started = () => {
      skills.tell();
      if (aboutIdentity !== undefined) own.emit({ type: 'notice', agent: LEAD_NAME, code: 'identity', text: aboutIdentity });
      opened.memory?.start();
      void goOn()
        .catch(report)
        .then(() => {
          if (request !== undefined) conversation.submit(request);
          wakeUpsBegin();
        });
    };
    if (call.options.repl === true || isPlain(app)) {
      const { runRepl } = await import('./repl/run.ts');
      return await runRepl(app, conversation, { stores, started });
    }
    const { runScreen } = await import('./screen/run.ts');
    return await runScreen(app, conversation, { version: VERSION, stores, theme: config.ui.theme, teamMax: config.team.max, started });
  } finally {
    await conversation.close();
  }
}

/** Makes the identity files of a trusted workspace that never had any, for a person who can see it said; what to say. */
function firstIdentity(app: App): string | undefined {
  if (!atTerminal(app) || !isTrusted(app.layout())) return undefined;
  const { setup } = app.text;
  try {
    app.processName();
    const made = createFirstIdentity(app.layout(), setup.identity);
    return made.length === 0 ? undefined : setup.identityStarted(made.map((path) => basename(path)).join(', '));
  } catch (error) {
    // A conversation without them is as good; what cannot be written will be said again by what must be.
    return setup.identityFailed(errorMessage(error));
  }
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
