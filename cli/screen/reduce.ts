// The one reducer of the screen: what happened and the state before give the state after and what the shell must do.
// Pure, and exhaustive over ScreenEvent.

import { completed } from './edited.ts';
import { type Editor, setText } from './editor.ts';
import { addEntry, EMPTY_LOG, type Log } from './entries.ts';
import { reduceInput } from './reduce-input.ts';
import { reduceLead } from './reduce-lead.ts';
import type { Effect, ScreenEvent, State, Step, TeammateView } from './state.ts';
import { logFromRows } from './stored-log.ts';

export function reduce(state: State, event: ScreenEvent): Step {
  switch (event.type) {
    case 'lead':
      return only(reduceLead(at(state, event.at), event.event, event.at));
    case 'input':
      return reduceInput(at(state, event.at), event.input);
    case 'resize':
      return only({ ...state, columns: event.columns, rows: event.rows });
    case 'tick':
      return only(ticked(state, event.now));
    case 'tasks':
      return only({ ...state, tasks: event.items });
    case 'schedule':
      return only({ ...state, schedule: event.items });
    case 'memory':
      return only({ ...state, memory: event.view });
    case 'team':
      return only(teamSeen(state, event));
    case 'facts': {
      const { type: _, ...facts } = event;
      // A model that has answered said its window itself.
      const window = facts.model.model === state.model.model && state.window > 0 ? state.window : facts.model.window;
      return only({ ...state, ...facts, window, interrupting: facts.running && state.interrupting });
    }
    case 'session':
      return only(sessionOpened(state, event));
    case 'transcript':
      return only(transcriptOpened(state, event.name, logFromRows(event.rows)));
    case 'output':
      return only(
        follow({ ...state, log: addEntry(state.log, { kind: 'output', command: event.command, text: event.text, at: event.at }) }),
      );
    case 'failed': {
      const hint = event.hint === undefined ? {} : { hint: event.hint };
      return only(
        follow({ ...state, log: addEntry(state.log, { kind: 'notice', tone: 'error', text: event.text, ...hint, at: event.at }) }),
      );
    }
    case 'pick': {
      // Whoever waits for a list that is put away by another has his answer: none.
      const { picker: before } = state;
      const effects: Effect[] = before === undefined ? [] : [{ type: 'picked', picker: before.id, value: undefined }];
      return { state: { ...state, picker: event.picker, completion: undefined }, effects };
    }
    case 'files':
      return only(completed({ ...state, files: event.items }));
    case 'commands':
      return only(completed({ ...state, slash: event.items }));
    case 'edited':
      return only(completed({ ...state, editor: setText(state.editor, event.text) }));
    case 'taken_back':
      return only(completed({ ...state, editor: broughtBack(state.editor, event.text), focus: 'input' }));
    case 'interrupted':
      return only({ ...state, interrupting: false });
    case 'painted':
      return only({ ...state, painted: state.painted + 1 });
  }
}

function only(state: State): Step {
  return { state, effects: [] };
}

function at(state: State, now: number): State {
  return now > state.now ? { ...state, now } : state;
}

/** New output of the person's own doing is shown at once, wherever the view stood. */
function follow(state: State): State {
  return { ...state, scroll: undefined, viewing: undefined };
}

/** Another session: what was said in it, and as much of its size and cost as its rows tell. */
function sessionOpened(state: State, { id, rows }: Extract<ScreenEvent, { type: 'session' }>): State {
  const last = rows.findLast((row) => row.content.role === 'assistant')?.content;
  const contextTokens = last?.role === 'assistant' ? last.usage.total : 0;
  return { ...state, session: id, log: logFromRows(rows), contextTokens, costUsd: null, scroll: undefined, cursor: undefined };
}

function ticked(state: State, now: number): State {
  const hint = state.hint !== undefined && state.hint.until <= now ? undefined : state.hint;
  const questions = state.questions.some((one) => one.expiresAt <= now)
    ? state.questions.filter((one) => one.expiresAt > now)
    : state.questions;
  return { ...state, now, hint, questions };
}

function teamSeen(state: State, event: Extract<ScreenEvent, { type: 'team' }>): State {
  const team = event.items
    .filter((one) => one.state !== 'ended')
    .map((one): TeammateView => {
      const known = state.team.find((view) => view.name === one.name);
      return {
        ...{ name: one.name, state: one.state, since: one.since, task: one.task, branch: one.branch },
        ...{ tokens: one.tokens, costUsd: one.costUsd, files: one.files },
        activity: known?.activity ?? 'waiting',
        detail: known?.detail ?? one.activity,
      };
    });
  return { ...state, teamOn: event.on, team, teammate: Math.max(0, Math.min(state.teammate, team.length - 1)) };
}

/** Stored rows, and behind them what is going on at this moment and not stored yet. */
function transcriptOpened(state: State, name: string, stored: Log): State {
  const lastAt = stored.entries.at(-1)?.at ?? 0;
  const live = (state.transcripts.get(name) ?? EMPTY_LOG).entries.filter(
    (entry) =>
      entry.at > lastAt ||
      ((entry.kind === 'reply' || entry.kind === 'thinking') && entry.open) ||
      (entry.kind === 'tool' && entry.state === 'running' && !stored.entries.some((one) => one.kind === 'tool' && one.key === entry.key)),
  );
  let log = stored;
  for (const { id: _, ...entry } of live) log = addEntry(log, entry);
  const transcripts = new Map(state.transcripts);
  transcripts.set(name, log);
  return { ...state, transcripts, viewing: name, scroll: undefined, cursor: undefined };
}

function broughtBack(editor: Editor, text: string): Editor {
  return setText(editor, editor.text.trim() === '' ? text : `${text}\n${editor.text}`);
}
