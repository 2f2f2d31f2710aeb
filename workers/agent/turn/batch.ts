// Runs the tool calls of one reply: read-only neighbours in parallel, all others alone and in order. Every call gets
// exactly one stored result, in call order of their keys, also when the turn is stopped in the middle.
import type { Sync } from '../../../store/database/database.ts';
import type { CallPart, ToolContent } from '../../../store/sessions/message.ts';
import type { MessageRow, Sessions, TurnRow } from '../../../store/sessions/sessions.ts';
import { beginningOf } from '../beginning.ts';
import type { EmitAgentEvent } from '../events.ts';
import { NOT_RUN, type ToolFrame } from '../tools/frame.ts';
import { type ToolResult, toolError } from '../tools/tool.ts';

/** What a call is answered when it is not known whether it took effect. The model decides whether to call again. */
export const OUTCOME_UNKNOWN =
  'interrupted, outcome unknown: the run was stopped while this call may have been under way. Check before you repeat it.';

export interface BatchSetup {
  readonly sessions: Sessions;
  readonly turn: TurnRow;
  /** Row of the assistant message that holds the calls. */
  readonly row: number;
  readonly frame: ToolFrame;
  readonly agent: string;
  readonly root: string;
  readonly signal: AbortSignal;
  readonly emit: EmitAgentEvent;
  readonly now: () => number;
  /** When results reach the disk, if nothing else is stored with them; at once if not given. */
  readonly sync?: Sync;
}

export interface IndexedCall {
  readonly call: CallPart;
  readonly index: number;
}

/** Runs the calls and stores their results; resolves to the stored rows. Never throws for what a tool does. */
export async function runBatch(setup: BatchSetup, calls: readonly IndexedCall[]): Promise<MessageRow[]> {
  const rows: MessageRow[] = [];
  for (const group of groupsOf(calls, setup.frame)) {
    const answers = await Promise.all(group.map((item) => runOne(setup, item)));
    // The group is one step of the conversation: its rows are stored together, so a kill leaves all or none of them.
    const sync = answers.some(({ result }) => (result.seen?.length ?? 0) > 0) ? 'now' : setup.sync;
    const store = () => answers.map(({ content, result }) => setup.sessions.append(setup.turn, content, result.seen));
    rows.push(...setup.sessions.together(store, sync));
  }
  return rows;
}

/** Neighbouring read-only calls form one group; every other call is a group of its own. */
function groupsOf(calls: readonly IndexedCall[], frame: Pick<ToolFrame, 'tools'>): IndexedCall[][] {
  const readOnly = new Set(frame.tools.filter((tool) => tool.readOnly).map((tool) => tool.name));
  const groups: IndexedCall[][] = [];
  let open: IndexedCall[] | undefined;
  for (const item of calls) {
    if (readOnly.has(item.call.name)) {
      if (open === undefined) groups.push((open = []));
      open.push(item);
    } else {
      groups.push([item]);
      open = undefined;
    }
  }
  return groups;
}

/** True when the calls change nothing anywhere, so that losing them with their reply loses nothing but words. */
export function onlyLook(calls: readonly IndexedCall[], frame: Pick<ToolFrame, 'tool'>): boolean {
  return calls.every(({ call }) => {
    const tool = frame.tool(call.name);
    return tool?.readOnly === true && !tool.keyed;
  });
}

async function runOne(setup: BatchSetup, { call, index }: IndexedCall): Promise<{ content: ToolContent; result: ToolResult }> {
  const key = `${setup.row}:${index}`;
  const started = setup.now();
  setup.emit({ type: 'tool_start', key, name: call.name, args: call.arguments });
  const result = await answer(setup, call, index);
  setup.emit({
    type: 'tool_end',
    key,
    name: call.name,
    ok: result.isError !== true,
    preview: beginningOf(result.text, 2_000),
    lines: result.text.split('\n').length,
    ms: setup.now() - started,
    ...(result.exitCode !== undefined && { exitCode: result.exitCode }),
    ...(result.diff !== undefined && { diff: result.diff }),
  });
  return { content: toolContent(setup.row, index, call, result), result };
}

async function answer(setup: BatchSetup, call: CallPart, index: number): Promise<ToolResult> {
  if (setup.signal.aborted) return toolError(NOT_RUN);
  const { agent, root, signal } = setup;
  const origin = { session: setup.turn.session, row: setup.row, index };
  return setup.frame.run({ name: call.name, args: call.arguments }, { origin, agent, root, signal });
}

/** The row of a tool result. */
export function toolContent(row: number, index: number, call: CallPart, result: ToolResult): ToolContent {
  const facts = {
    ...result.facts,
    ...(result.changedFiles !== undefined && { changedFiles: [...result.changedFiles] }),
    ...(result.exitCode !== undefined && { exitCode: result.exitCode }),
    ...(result.diff !== undefined && { diff: beginningOf(result.diff, 20_000) }),
  };
  return {
    role: 'tool',
    callRow: row,
    callIndex: index,
    callId: call.id,
    name: call.name,
    text: result.text,
    isError: result.isError === true,
    ...(result.images !== undefined && { images: [...result.images] }),
    ...(Object.keys(facts).length > 0 && { facts }),
  };
}
