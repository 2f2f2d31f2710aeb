// What happens in the lead and its team, put into the screen's state. Pure and exhaustive over LeadEvent.
import type { LeadEvent, Question } from '../../lead/events.ts';
import type { AgentEvent } from '../../workers/agent/events.ts';
import { addEntry, closeText, cutRunning, EMPTY_LOG, findTool, type Log, replaceEntry, streamText } from './entries.ts';
import type { State, TeammateView } from './state.ts';

/** The lead's name in events. */
export const LEAD = 'Lead';
/** Agents whose transcripts are kept beside the lead's. */
const MOST_TRANSCRIPTS = 12;
const TRANSCRIPT_ENTRIES = 1_500;

/** The state after one event that happened at `at` (ms since the epoch). */
export function reduceLead(state: State, event: LeadEvent, at: number): State {
  switch (event.type) {
    case 'turn_start':
    case 'text':
    case 'thinking':
    case 'tool_start':
    case 'tool_end':
    case 'turn_end':
    case 'usage':
    case 'notice':
    case 'error':
      return event.agent === LEAD ? leadAct(state, event, at) : teammateAct(state, event.agent, event, at);
    case 'mail':
      return onLead(state, (log) => {
        const { type: _, at: sent, ...mail } = event;
        return addEntry(log, { kind: 'mail', ...mail, at: sent || at });
      });
    case 'task':
      return {
        ...state,
        tasks: state.tasks.map((task) =>
          task.id === event.id
            ? {
                ...task,
                title: event.title,
                state: event.state,
                ...(event.assignee === undefined ? {} : { assignee: event.assignee }),
                ...(event.landed === undefined ? {} : { landed: event.landed }),
              }
            : task,
        ),
      };
    case 'teammate':
      return teammateChanged(state, event);
    case 'question':
      return questionChanged(state, event.question, event.status, at);
    case 'merge':
      return onLead(state, (log) => mergeEntry(log, event, at));
    case 'end':
      return { ...state, running: false, interrupting: false };
  }
}

/** A merge that waited is one line with its end, not two. */
function mergeEntry(log: Log, event: Extract<LeadEvent, { type: 'merge' }>, at: number): Log {
  const { name, outcome, gate } = event;
  const detail = (outcome === 'merged' ? event.commit : event.detail) ?? event.commit ?? '';
  const index = log.entries.findLastIndex((entry) => entry.kind === 'merge' && entry.name === name);
  const before = log.entries[index];
  if (before?.kind === 'merge' && before.outcome === 'queued') return replaceEntry(log, index, { ...before, outcome, gate, detail });
  return addEntry(log, { kind: 'merge', name, outcome, gate, detail, at });
}

function onLead(state: State, change: (log: Log) => Log): State {
  return { ...state, log: change(state.log) };
}

function leadAct(state: State, event: AgentEvent, at: number): State {
  const next = onLead(state, (log) => agentLog(log, event, at));
  switch (event.type) {
    case 'turn_start':
      return { ...next, running: true, turnStartedAt: at, interrupting: false };
    case 'turn_end':
      return { ...next, running: false, interrupting: false };
    case 'usage':
      return { ...next, contextTokens: event.contextTokens, window: event.window, costUsd: event.costUsd };
    case 'text':
    case 'thinking':
    case 'tool_start':
    case 'tool_end':
    case 'notice':
    case 'error':
      return next;
  }
}

function teammateAct(state: State, name: string, event: AgentEvent, at: number): State {
  const before = state.transcripts.get(name);
  const changed = agentLog(before ?? EMPTY_LOG, event, at);
  const over = changed.entries.length - TRANSCRIPT_ENTRIES;
  const log = over > 0 ? { ...changed, entries: changed.entries.slice(over), dropped: changed.dropped + over } : changed;
  if (log === before) return state;
  const transcripts = new Map(state.transcripts);
  transcripts.set(name, log);
  for (const old of transcripts.keys()) {
    if (transcripts.size <= MOST_TRANSCRIPTS) break;
    if (old !== name && old !== state.viewing) transcripts.delete(old);
  }
  return { ...state, transcripts };
}

/** One agent's log after one of its events. */
function agentLog(log: Log, event: AgentEvent, at: number): Log {
  switch (event.type) {
    case 'turn_start':
      return turnStarted(closeText(log), event, at);
    case 'text':
    case 'thinking':
      return event.delta === '' ? log : streamText(log, event.type === 'text' ? 'reply' : 'thinking', event.delta, at);
    case 'tool_start':
      return addEntry(closeText(log), {
        ...{ kind: 'tool', key: event.key, name: event.name, args: event.args, state: 'running' },
        ...{ preview: '', lines: 0, ms: 0, folded: true, at },
      });
    case 'tool_end':
      return toolEnded(log, event, at);
    case 'turn_end': {
      const ended = cutRunning(closeText(log));
      return event.stopReason === 'done' ? ended : addEntry(ended, { kind: 'stopped', reason: event.stopReason, at });
    }
    case 'usage':
      return log;
    case 'notice':
      return addEntry(log, { kind: 'notice', tone: event.code === 'bad_file' ? 'warn' : 'info', text: event.text, at });
    case 'error':
      return addEntry(closeText(log), {
        ...{ kind: 'notice', tone: 'error', text: event.text, at },
        ...(event.hint === undefined ? {} : { hint: event.hint }),
      });
  }
}

function turnStarted(log: Log, event: Extract<AgentEvent, { type: 'turn_start' }>, at: number): Log {
  switch (event.origin) {
    case 'user':
      return addEntry(log, { kind: 'person', text: event.prompt, at });
    case 'wakeup':
      return addEntry(log, { kind: 'wakeup', text: event.prompt, at });
    case 'mail':
    case 'note':
      return event.prompt.trim() === '' ? log : addEntry(log, { kind: 'team', text: event.prompt, at });
    case 'resume':
      return log;
  }
}

function toolEnded(log: Log, event: Extract<AgentEvent, { type: 'tool_end' }>, at: number): Log {
  const found = findTool(log, event.key);
  const result = {
    state: event.ok ? ('ok' as const) : ('failed' as const),
    preview: event.preview,
    lines: event.lines,
    ms: event.ms,
    ...(event.exitCode === undefined ? {} : { exitCode: event.exitCode }),
    ...(event.diff === undefined ? {} : { diff: event.diff }),
  };
  if (found !== undefined) return replaceEntry(log, found.index, { ...found.entry, ...result });
  return addEntry(log, { kind: 'tool', key: event.key, name: event.name, args: {}, folded: true, at, ...result });
}

function teammateChanged(state: State, event: Extract<LeadEvent, { type: 'teammate' }>): State {
  const view: TeammateView = {
    name: event.name,
    state: event.state,
    activity: event.activity,
    detail: event.detail ?? '',
    since: event.since,
    task: event.task,
    branch: event.branch,
    files: event.files,
    tokens: event.tokens,
    costUsd: event.costUsd,
  };
  const index = state.team.findIndex((one) => one.name === event.name);
  if (event.state === 'ended') {
    const team = state.team.filter((one) => one.name !== event.name);
    return { ...state, team, teammate: Math.max(0, Math.min(state.teammate, team.length - 1)) };
  }
  return { ...state, team: index === -1 ? [...state.team, view] : state.team.with(index, view) };
}

function questionChanged(state: State, question: Question, status: 'asked' | 'allowed' | 'refused' | 'expired', at: number): State {
  const others = state.questions.filter((one) => one.id !== question.id);
  if (status === 'asked') return { ...state, questions: [...others, question] };
  const log = addEntry(state.log, { kind: 'question', question, status, at });
  return { ...state, questions: others, log };
}
