// All that the screen knows, as one value, and the vocabulary of what may change it and what it asks the shell to do.
// Nothing here acts; reduce.ts decides, run.ts executes the effects.
import type { ModelFacts, PermissionMode, TeammateStatus } from '../../lead/conversation.ts';
import type { Activity, LeadEvent, Question, TeammateState } from '../../lead/events.ts';
import type { MessageRow } from '../../store/sessions/sessions.ts';
import type { ScheduleLine, TaskLine } from '../slash/ports.ts';
import type { Text } from '../text/text.ts';
import type { Completion } from './completion.ts';
import { type Editor, EMPTY_EDITOR } from './editor.ts';
import { EMPTY_LOG, type Log } from './entries.ts';
import type { Input } from './keys.ts';

export interface MemoryView {
  readonly on: boolean;
  /** Topics, as `category/topic`, recalled for the last request. */
  readonly recalled: readonly string[];
  readonly topics: number;
  readonly conflicts: number;
}

export interface TeammateView {
  readonly name: string;
  readonly state: TeammateState;
  readonly activity: Activity;
  readonly detail: string;
  readonly since: number;
  readonly task: string | undefined;
  readonly branch: string | undefined;
  readonly files: readonly string[];
  readonly tokens: number;
  readonly costUsd: number | null;
}

/** A list to choose from, shown in the place of the conversation. */
export interface Picker {
  readonly id: string;
  readonly title: string;
  readonly items: ReadonlyArray<{ readonly value: string; readonly label: string; readonly detail?: string }>;
  readonly selected: number;
  readonly filter: string;
}

/** Where the view of a log stands: undefined follows the end; else the line of an entry that is at the top. */
export interface ScrollAnchor {
  readonly entry: number;
  readonly line: number;
}

export interface SlashHint {
  readonly name: string;
  readonly help: string;
  readonly aliases: readonly string[];
  readonly args: string;
  /** First words that the command takes. */
  readonly choices: readonly string[];
}

/** Short-lived words in the status bar. */
export type HintCode = 'leave' | 'nothing_to_fold';

export interface State {
  readonly text: Text;
  readonly now: number;
  readonly columns: number;
  readonly rows: number;
  readonly version: string;
  readonly workspace: string;
  /** The person's home folder; empty when unknown. */
  readonly home: string;
  readonly session: string;
  readonly model: ModelFacts;
  readonly mode: PermissionMode;
  readonly teamOn: boolean;
  readonly teamMax: number;
  readonly running: boolean;
  readonly turnStartedAt: number;
  /** An interrupt was asked for and the turn still unwinds. */
  readonly interrupting: boolean;
  readonly log: Log;
  readonly transcripts: ReadonlyMap<string, Log>;
  /** The teammate whose transcript is open. */
  readonly viewing: string | undefined;
  readonly scroll: ScrollAnchor | undefined;
  /** Id of the entry that the conversation's own focus is on. */
  readonly cursor: number | undefined;
  readonly focus: 'input' | 'team' | 'log';
  readonly teammate: number;
  readonly team: readonly TeammateView[];
  readonly tasks: readonly TaskLine[];
  readonly schedule: readonly ScheduleLine[];
  readonly memory: MemoryView;
  readonly contextTokens: number;
  readonly window: number;
  readonly costUsd: number | null;
  readonly editor: Editor;
  /** The teammate that the text in the editor goes to, instead of the lead. */
  readonly addressee: string | undefined;
  readonly history: readonly string[];
  /** Place in the history while it is walked through; the draft is kept beside it. */
  readonly historyAt: { readonly index: number; readonly draft: string } | undefined;
  readonly completion: Completion | undefined;
  readonly slash: readonly SlashHint[];
  readonly files: readonly string[];
  readonly queued: readonly string[];
  readonly questions: readonly Question[];
  /** How far a question that does not fit has been paged through. */
  readonly questionTop: { readonly id: string; readonly row: number } | undefined;
  readonly picker: Picker | undefined;
  /** The sidebar: on its own by width, or as the person last asked. */
  readonly sidebar: 'auto' | 'shown' | 'hidden';
  readonly leaveUntil: number;
  readonly lastTyped: number;
  readonly hint: { readonly code: HintCode; readonly until: number } | undefined;
  /** Grows when the highlighter has loaded, so that code is drawn again. */
  readonly painted: number;
}

export type ScreenEvent =
  | { readonly type: 'lead'; readonly event: LeadEvent; readonly at: number }
  | { readonly type: 'input'; readonly input: Input; readonly at: number }
  | { readonly type: 'resize'; readonly columns: number; readonly rows: number }
  | { readonly type: 'tick'; readonly now: number }
  | { readonly type: 'tasks'; readonly items: readonly TaskLine[] }
  | { readonly type: 'schedule'; readonly items: readonly ScheduleLine[] }
  | { readonly type: 'memory'; readonly view: MemoryView }
  | { readonly type: 'team'; readonly on: boolean; readonly items: readonly TeammateStatus[] }
  | {
      readonly type: 'facts';
      readonly model: ModelFacts;
      readonly mode: PermissionMode;
      readonly running: boolean;
      readonly queued: readonly string[];
      readonly questions: readonly Question[];
    }
  | { readonly type: 'session'; readonly id: string; readonly rows: readonly MessageRow[] }
  | { readonly type: 'transcript'; readonly name: string; readonly rows: readonly MessageRow[] }
  | { readonly type: 'output'; readonly command: string; readonly text: string; readonly at: number }
  | { readonly type: 'failed'; readonly text: string; readonly hint?: string | undefined; readonly at: number }
  | { readonly type: 'pick'; readonly picker: Picker }
  | { readonly type: 'files'; readonly items: readonly string[] }
  | { readonly type: 'commands'; readonly items: readonly SlashHint[] }
  | { readonly type: 'edited'; readonly text: string }
  | { readonly type: 'taken_back'; readonly text: string }
  | { readonly type: 'interrupted' }
  | { readonly type: 'painted' };

/** What needs the conversation or its stores. */
export type ConversationEffect =
  | { readonly type: 'submit'; readonly text: string }
  | { readonly type: 'slash'; readonly line: string }
  | { readonly type: 'remember'; readonly text: string }
  | { readonly type: 'interrupt' }
  | { readonly type: 'take_back' }
  | { readonly type: 'answer'; readonly id: string; readonly verdict: 'allow' | 'refuse' | 'always' }
  | { readonly type: 'message'; readonly name: string; readonly text: string }
  | { readonly type: 'teammate'; readonly action: 'interrupt' | 'release' | 'merge'; readonly name: string }
  | { readonly type: 'open_transcript'; readonly name: string }
  | { readonly type: 'picked'; readonly picker: string; readonly value: string | undefined }
  | { readonly type: 'list_files' }
  | { readonly type: 'list_commands' }
  | { readonly type: 'external_editor'; readonly text: string };

export type Effect =
  | ConversationEffect
  | { readonly type: 'suspend' }
  | { readonly type: 'redraw' }
  | { readonly type: 'exit'; readonly code: number };

export interface Step {
  readonly state: State;
  readonly effects: readonly Effect[];
}

/** What the screen starts with. */
export type FirstState = Pick<
  State,
  'text' | 'now' | 'columns' | 'rows' | 'version' | 'workspace' | 'home' | 'session' | 'model' | 'mode' | 'teamMax' | 'slash' | 'history'
>;

/** The screen before anything happened. */
export function firstState(input: FirstState): State {
  return {
    ...input,
    teamOn: false,
    running: false,
    turnStartedAt: input.now,
    interrupting: false,
    log: EMPTY_LOG,
    transcripts: new Map(),
    viewing: undefined,
    scroll: undefined,
    cursor: undefined,
    focus: 'input',
    teammate: 0,
    team: [],
    tasks: [],
    schedule: [],
    memory: { on: true, recalled: [], topics: 0, conflicts: 0 },
    contextTokens: 0,
    window: input.model.window,
    costUsd: null,
    editor: EMPTY_EDITOR,
    addressee: undefined,
    historyAt: undefined,
    completion: undefined,
    files: [],
    queued: [],
    questions: [],
    questionTop: undefined,
    picker: undefined,
    sidebar: 'auto',
    leaveUntil: 0,
    lastTyped: 0,
    hint: undefined,
    painted: 0,
  };
}

/** The log that is on the screen. */
export function shownLog(state: State): Log {
  return state.viewing === undefined ? state.log : (state.transcripts.get(state.viewing) ?? EMPTY_LOG);
}
