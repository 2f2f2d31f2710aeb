// `xz once`: store the prompt, run the turn (and what the team hands in after it), print the outcome, tell the truth in
// the exit code.
import type { LeadEvent } from '../../../lead/events.ts';
import { titleOf } from '../../../lead/title.ts';
import { XzError } from '../../../store/errors.ts';
import { resolvePrefix } from '../../../store/ids.ts';
import { NO_USAGE } from '../../../store/sessions/message.ts';
import type { SessionRow } from '../../../store/sessions/sessions.ts';
import type { TurnInput } from '../../../workers/agent/agent.ts';
import type { App } from '../../compose.ts';
import { openLead } from '../../open-lead.ts';
import { printNotice } from '../../print/notice.ts';
import { flagOf } from '../../print/page.ts';
import type { CommandCall, RunCommand } from '../../table/command.ts';
import { readPrompt } from './prompt.ts';
import { report } from './report.ts';
import { onSignals } from './signals.ts';
import { finishTeam } from './team.ts';

/** How long the end of the program waits for memory, in ms. */
const MEMORY_MS = 5_000;

export const runOnce: RunCommand = async (app, call) => {
  const limits = {
    timeoutS: positive(app, call, 'timeout'),
    maxCostUsd: positive(app, call, 'maxCost'),
    maxRounds: positive(app, call, 'maxRounds'),
  };
  // A wrong name is told before anything is read.
  const session = await chosenSession(app, call);
  const prompt = await readPrompt(app, call);
  if (prompt === undefined && session === undefined) return nothingOpen(app, undefined);
  const opened = await openLead(app, {
    title: titleOf(prompt ?? ''),
    attended: false,
    limits,
    ...(session !== undefined && { session }),
    ...(call.options.yes === true && { mode: 'yolo' as const }),
  });
  const { lead, team } = opened;
  const streaming = call.options.streamJson === true;
  let ended = false;
  /** What teammates changed in the main folder itself; what comes from a branch is told by the merge. */
  const changedHere = new Set<string>();
  const unlisten = opened.listen((event) => {
    if (event.type === 'mail' && event.evidence?.diffstat === '') for (const file of event.evidence.files) changedHere.add(file);
    show(app, streaming && !ended, event);
  });
  opened.parts.skills.tell();
  opened.memory?.start();
  const signals = onSignals(opened);
  // What an earlier process did in the turn that goes on belongs to this answer too.
  const last = opened.parts.sessions.lastTurn(opened.session.id)?.id ?? 0;
  const firstTurn = prompt === undefined ? last : last + 1;
  try {
    await team.resume();
    if (prompt === undefined && !lead.unfinished() && !team.unfinished()) return nothingOpen(app, opened.session);
    const outcome = prompt === undefined ? await lead.finishOpen() : await lead.run(inputOf(app, prompt));
    const end = await finishTeam(opened, outcome, signals);
    const stopReason = end.outcome?.stopReason ?? 'done';
    if (streaming) app.print.value({ type: 'end', stopReason, text: end.outcome?.text ?? '' });
    ended = true;
    const code = report(app, opened, end, { firstTurn, changedHere }, streaming);
    // The answer is out; what memory does not get done now, the next conversation does.
    if (stopReason === 'done') await Promise.race([opened.memory?.settle(MEMORY_MS), signals.arrived]);
    return code;
  } finally {
    signals.release();
    // Still listened to: teammates that are let go now may leave something to tell of.
    await opened.close();
    unlisten();
  }
};

/** The prompt as a person's, or as the wake-up it is when a scheduler started this process. */
function inputOf(app: App, text: string): TurnInput {
  const taskId = app.env.XZ_WAKEUP;
  return taskId ? { kind: 'wakeup', text, taskId } : { kind: 'user', text };
}

function nothingOpen(app: App, session: SessionRow | undefined): number {
  const { print, text } = app;
  if (print.json)
    print.value({ session: session?.id ?? null, text: '', stopReason: 'done', usage: NO_USAGE, costUsd: 0, changedFiles: [] });
  else print.warn(`xz: ${session === undefined ? text.once.noSession : text.once.nothingOpen}`);
  return 0;
}

/** The session that `--session` (or `xz --resume ID`) names or `--resume` means; undefined: a new one. */
async function chosenSession(app: App, call: CommandCall): Promise<SessionRow | undefined> {
  const named = call.options.session ?? call.options.resume;
  if (named === undefined) return undefined;
  const sessions = await app.sessions();
  if (typeof named !== 'string') return sessions.latest();
  return sessions.get(resolvePrefix(named, sessions.ids('lead'), 'session'));
}

function positive(app: App, call: CommandCall, name: 'timeout' | 'maxCost' | 'maxRounds'): number | undefined {
  const given = call.options[name];
  if (typeof given !== 'string') return undefined;
  const value = Number(given);
  const whole = name !== 'maxRounds' || Number.isInteger(value);
  if (!Number.isFinite(value) || value <= 0 || !whole) {
    throw new XzError('bad_input', app.text.once.badNumber(flagOf(name), given));
  }
  return value;
}

/** Events while it runs: all of them as JSON lines, or only what a person should know, on stderr. */
function show(app: App, streaming: boolean, event: LeadEvent): void {
  if (streaming) app.print.value(event);
  else printNotice(app.print, app.text, event);
}
