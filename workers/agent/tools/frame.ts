// The frame around every tool: checks the arguments, asks permission, runs, and makes the result fit to be stored and
// sent (valid, visible, without secrets, never empty, capped). It never throws: whatever happens is a result.
import { resolve } from 'node:path';
import { errorMessage, isAbort, throwIfAborted, XzError } from '../../../store/errors.ts';
import { maskOf } from '../../../store/mask.ts';
import { matchingPaths } from '../files/matching.ts';
import { realName } from '../files/paths.ts';
import type { Decision, Mode } from '../permissions/decide.ts';
import { type Arguments, checkArguments } from './arguments.ts';
import { capText, joinCapped } from './cap.ts';
import type { Outputs } from './outputs.ts';
import { type Tool, type ToolContext, type ToolResult, toolError } from './tool.ts';
import { visibleText } from './visible-text.ts';

export const NO_OUTPUT = '(no output)';
/** What a call is answered that a stop came before. */
export const NOT_RUN = 'not run: the turn was stopped before this call began';

export interface PermissionQuestion {
  readonly tool: string;
  readonly agent: string;
  /** The command, the path, or the arguments in one line. */
  readonly summary: string;
  /** The rules that "always" would add, as one text. */
  readonly rule: string;
  readonly rules: readonly string[];
  /** The change that the call would make. */
  readonly diff?: string;
}

export type PermissionAnswer = 'allow' | 'always' | 'refuse' | { readonly refuse: string };

/** Asks the person; rejects only with the abort of `signal`. */
export type AskPermission = (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>;

export interface PermissionSettings {
  readonly mode: Mode;
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

export interface FrameOptions {
  readonly tools: readonly Tool[];
  /** Accepted by other names without being offered, such as `create_schedule` for `schedule_task`. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Read at each call, so that a change of mode takes effect at once. */
  readonly permissions: () => PermissionSettings;
  /** Absent when nobody can be asked: what would ask is then refused. */
  readonly ask?: AskPermission;
  readonly inWorktree: boolean;
  readonly home?: string;
  /** Largest result in bytes of UTF-8: an eighth of the window, at most 50 KB (`capFor`). */
  readonly capBytes: () => number;
  readonly outputs: Outputs;
  /** Values that must not be stored or sent. */
  readonly secrets: () => readonly string[];
}

export interface ToolFrame {
  readonly tools: readonly Tool[];
  tool(name: string): Tool | undefined;
  /** Runs one call. Never throws. */
  run(call: { readonly name: string; readonly args: unknown }, context: ToolContext): Promise<ToolResult>;
}

/** The cap of one result for a context window: an eighth of it (a token is about four bytes), at most 50 KB. */
export function capFor(windowTokens: number): number {
  return Math.max(1_000, Math.min(50_000, Math.floor((windowTokens * 4) / 8)));
}

/** The frame around the tools of one agent. What the person allows with "always" holds as long as the frame lives. */
export function createFrame(options: FrameOptions): ToolFrame {
  const byName = new Map(options.tools.map((tool) => [tool.name, tool]));
  const always: string[] = [];
  const named = (name: string): Tool | undefined => byName.get(name) ?? byName.get(options.aliases?.[name] ?? '');
  const find = (name: string): Tool | undefined => named(name) ?? named(plainName(name));

  const run: ToolFrame['run'] = async (call, context) => {
    const tool = find(call.name);
    if (tool === undefined)
      return toolError(`there is no tool "${call.name.slice(0, 100)}"; the tools are: ${[...byName.keys()].join(', ')}`);
    try {
      throwIfAborted(context.signal);
      const args = await checkArguments(tool, call.args);
      const refusal = await permit(tool, args, context, options, always);
      // While leave was looked for the turn may have been stopped.
      const unfit = refusal ?? (context.signal.aborted ? NOT_RUN : undefined);
      const result = unfit === undefined ? await tool.run(args, context) : toolError(unfit);
      return finish(result, context, options);
    } catch (error) {
      return finish(toolError(describe(error)), context, options);
    }
  };
  return { tools: options.tools, tool: find, run };
}

/** A tool's name without what some models, trained on other harnesses, put around it: `functions.bash`, `functions.bash:0`. */
function plainName(name: string): string {
  return name
    .trim()
    .replace(/^(functions?|tools?|default_api)[.:]/i, '')
    .replace(/:\d+$/, '')
    .toLowerCase();
}

function describe(error: unknown): string {
  if (isAbort(error)) return 'interrupted';
  const hint = error instanceof XzError ? error.hint : undefined;
  return hint === undefined ? errorMessage(error) : `${errorMessage(error)}\n${hint}`;
}

let decisions: Promise<typeof import('../permissions/decide.ts')> | undefined;

/** Why the call may not run, or undefined. */
async function permit(
  tool: Tool,
  args: Arguments,
  context: ToolContext,
  options: FrameOptions,
  always: string[],
): Promise<string | undefined> {
  // With its shell parser it is as much code as the rest of an agent; a first request goes out before it is needed.
  const { decide } = await (decisions ??= import('../permissions/decide.ts'));
  const settings = options.permissions();
  const decision: Decision = decide({
    mode: settings.mode,
    allow: [...settings.allow, ...always],
    deny: settings.deny,
    tool: tool.name,
    args,
    inWorktree: options.inWorktree,
    readOnly: tool.readOnly,
    root: context.root,
    home: options.home,
    real: (path) => realName(context.root, path),
    matching: (folder, pattern) => matchingPaths(resolve(context.root, folder), pattern),
  });
  if (decision.verdict === 'allow') return undefined;
  if (decision.verdict === 'refuse') return decision.reason;
  if (options.ask === undefined)
    return `refused: nobody is here to allow ${tool.name}. To allow it, add ${decision.rules.map((rule) => JSON.stringify(rule)).join(', ')} to [permissions] allow, or run with --yes`;
  const diff = await tool.preview?.(args, context);
  const question = { tool: tool.name, agent: context.agent, summary: decision.summary, rule: decision.rule, rules: decision.rules };
  const answer = await options.ask(diff === undefined ? question : { ...question, diff }, context.signal);
  if (context.signal.aborted) return NOT_RUN;
  if (answer === 'always') always.push(...decision.rules);
  if (answer === 'allow' || answer === 'always') return undefined;
  return answer === 'refuse' ? 'the person refused this call' : `the person refused this call: ${answer.refuse}`;
}

/** Makes a result fit to be stored and sent. */
function finish(result: ToolResult, context: ToolContext, options: FrameOptions): ToolResult {
  const mask = maskOf(options.secrets());
  const clean = (text: string) => mask(visibleText(text));
  const text = clean(result.text);
  const capped = capText(text, options.capBytes());
  const shown =
    capped === undefined
      ? text
      : joinCapped(
          result.stored === undefined ? capped : { ...capped, bytes: Math.max(capped.bytes, result.stored.bytes) },
          result.stored?.path ?? options.outputs.store(context.origin, text),
        );
  return {
    ...result,
    text: shown.trim() === '' ? NO_OUTPUT : shown,
    ...(result.diff === undefined ? {} : { diff: clean(result.diff) }),
  };
}
