// A conversation for a person: the lead, its wake-ups, its stores and what it has to say first. Loaded when the screen
// already stands.
import { basename } from 'node:path';
import type { Conversation } from '../lead/conversation.ts';
import { createEvents } from '../lead/events-hub.ts';
import { LEAD_NAME } from '../lead/lead.ts';
import { startWakeUps } from '../lead/wake-ups.ts';
import { errorFacts, errorMessage } from '../store/errors.ts';
import { createFirstIdentity } from '../store/identity/templates.ts';
import type { SessionRow } from '../store/sessions/sessions.ts';
import { isTrusted } from '../store/trust.ts';
import { watchSkills } from '../workers/agent/skills/watch.ts';
import { skillsInput } from './commands/skill/open.ts';
import type { App } from './compose.ts';
import { type OpenedLead, openLead } from './open-lead.ts';
import { report as tellFinding } from './open-parts.ts';
import { inWords } from './print/notice.ts';
import { atTerminal } from './setup/offer.ts';
import { openStorePorts } from './slash/open-stores.ts';
import type { StorePorts } from './slash/ports.ts';

export interface Talk {
  readonly conversation: Conversation;
  readonly stores: StorePorts;
  /** To be called once the person sees the conversation: what waited for that goes on now. */
  readonly started: () => void;
}

export interface TalkOptions {
  /** The session to go on with; absent: a new one. */
  readonly session: SessionRow | undefined;
  /** Sent first, as if typed. */
  readonly request: string | undefined;
}

/** A due task that runs when xz is left gets this long before it is recorded as interrupted. */
const WAKE_UP_GRACE_MS = 500;

/** Opens the conversation; closing it closes all that belongs to it. Nothing stays open when this throws. */
export async function openTalk(app: App, { session, request }: TalkOptions): Promise<Talk> {
  // Before the lead reads them.
  const aboutIdentity = request === undefined ? firstIdentity(app) : undefined;
  const opened = await openLead(app, { title: '', attended: true, ...(session === undefined ? {} : { session }) });
  const own = createEvents();
  const closers: Array<() => Promise<void>> = [opened.close];
  const conversation = conversationOf(opened, own, closers);
  try {
    const { skills, tasks } = opened.parts;
    const report = (error: unknown) => own.emit({ type: 'error', agent: LEAD_NAME, ...errorFacts(error) });
    const watching = watchSkills(skillsInput(app), app.clock, () => void skills.refresh().catch(report));
    closers.push(() => watching.then((one) => one.close()).catch(() => undefined));
    watching.catch(report);
    const beginWakeUps = await wakeUpsOf(app, conversation, report, closers);
    return {
      conversation,
      stores: {
        ...(await openStorePorts(app, {
          tasks,
          skills,
          report: (finding) => tellFinding((event) => own.emit(inWords(app.text, event)), finding),
        })),
        recalled: () => opened.memory?.recalled() ?? [],
      },
      started() {
        skills.tell();
        if (aboutIdentity !== undefined) own.emit({ type: 'notice', agent: LEAD_NAME, code: 'identity', text: aboutIdentity });
        if (opened.lead.memoryOn()) opened.memory?.start();
        void goOn(opened)
          .catch(report)
          .then(() => {
            if (request !== undefined) conversation.submit(request);
            beginWakeUps();
          });
      },
    };
  } catch (error) {
    await conversation.close();
    throw error;
  }
}

/** What a kill or an exit left open goes on by itself; what fell due comes after it, since a new turn would settle the open one. */
async function goOn({ team, lead }: OpenedLead): Promise<void> {
  await team.resume();
  await lead.finishOpen();
}

/** The lead's conversation with events of our own in it; closed once, the newest part first. */
function conversationOf(
  opened: OpenedLead,
  own: ReturnType<typeof createEvents>,
  closers: ReadonlyArray<() => Promise<void>>,
): Conversation {
  let closing: Promise<void> | undefined;
  return {
    ...opened.lead,
    listen(listener) {
      const stops = [opened.listen(listener), own.listen(listener)];
      return () => {
        for (const stop of stops) stop();
      };
    },
    close() {
      closing ??= (async () => {
        for (const close of closers.toReversed()) await close();
      })();
      return closing;
    },
  };
}

/** The way to begin with what falls due, unless that is switched off or the conversation has been closed by then. */
async function wakeUpsOf(
  app: App,
  conversation: Conversation,
  report: (error: unknown) => void,
  closers: Array<() => Promise<void>>,
): Promise<() => void> {
  const { scheduler } = await app.config();
  const db = await app.database();
  let over = false;
  let stop = async (): Promise<void> => {};
  closers.push(async () => {
    over = true;
    await stop();
  });
  return () => {
    if (!scheduler.enabled || over) return;
    const wakeUps = startWakeUps({
      ...{ conversation, layout: app.layout(), locks: app.locks(), db, clock: app.clock },
      ...{ checkIntervalMs: scheduler.checkIntervalMs, onProblem: (text) => report(new Error(text)) },
    });
    stop = () => wakeUps.stop(WAKE_UP_GRACE_MS);
  };
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
