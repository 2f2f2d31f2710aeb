// A model that plays a written conversation: for the demo without a network, and for tests. Only the words are scripted;
// the loop and the tools around it are the real ones. It follows the request, not a counter of its own, so that a
// session continued after a kill goes on where its stored replies end.
import { type Static, Type } from 'typebox';
import { type Clock, sleep, systemClock } from '../../../store/clock.ts';
import { throwIfAborted, XzError } from '../../../store/errors.ts';
import { readText } from '../../../store/files.ts';
import { parserOf } from '../../../store/schema.ts';
import { type AssistantContent, type Content, callsOf, type Part, visibleText } from '../../../store/sessions/message.ts';
import { userText } from './convert.ts';
import { estimateContent, estimateFixed } from './estimate.ts';
import type { Model, ModelFacts, ModelRequest } from './model.ts';
import { ModelError } from './model-error.ts';
import { wellFormed } from './request.ts';

const StepSchema = Type.Object({
  /** The request must contain this text, anywhere in its messages. Absent: any request of the agent. */
  when: Type.Optional(Type.String()),
  text: Type.Optional(Type.String()),
  thinking: Type.Optional(Type.String()),
  calls: Type.Optional(Type.Array(Type.Object({ name: Type.String(), arguments: Type.Record(Type.String(), Type.Unknown()) }))),
  /** True for the answer to a request that offers no tools: a title, a summary, an extraction. */
  plain: Type.Optional(Type.Boolean()),
  /** May be played any number of times. */
  repeat: Type.Optional(Type.Boolean()),
  /** Ms before the first word. */
  delayMs: Type.Optional(Type.Number({ minimum: 0 })),
});

const ScriptSchema = Type.Object({
  /** Ms between pieces of text. Default 0. */
  chunkMs: Type.Optional(Type.Number({ minimum: 0 })),
  window: Type.Optional(Type.Number({ minimum: 1 })),
  /** Steps by agent name; "*" is for every agent that is not named. */
  agents: Type.Record(Type.String(), Type.Array(StepSchema)),
});

export type Step = Static<typeof StepSchema>;
export type Script = Static<typeof ScriptSchema>;

const scriptParser = parserOf(ScriptSchema, 'script');

/** Reads a script file. Throws `not_found` or `bad_file`. */
export function readScript(path: string): Script {
  const text = readText(path);
  if (text === undefined) throw new XzError('not_found', `no script ${path}`);
  return scriptParser.parseJson(text);
}

/** The model of one agent (`Lead`, or a teammate's name). */
export function openScripted(script: Script, agent: string, clock: Clock = systemClock): Model {
  const steps = script.agents[agent] ?? script.agents['*'] ?? [];
  const facts: ModelFacts = {
    provider: 'scripted',
    model: 'scripted',
    api: 'scripted',
    window: script.window ?? 200_000,
    maxOutput: undefined,
    images: false,
    host: 'scripted',
    price: undefined,
  };
  const used = new Set<Step>();
  let first = true;
  return {
    facts,
    async reply(request) {
      throwIfAborted(request.signal);
      // The same healing as for a real provider, so that a script sees what one would be sent.
      const target = { provider: facts.provider, model: facts.model, api: 'openai-completions' } as const;
      const messages = wellFormed(
        request.messages.map((content) => ({ content })),
        target,
      );
      if (first) for (const step of playedBefore(steps, messages)) used.add(step);
      first = false;
      const step = nextStep(steps, used, request, messages) ?? unwritten(agent, request);
      if (step.repeat !== true) used.add(step);
      await speak(step, script.chunkMs ?? 0, request, clock);
      return contentOf(step, facts, request, messages);
    },
  };
}

/** The steps whose replies a stored conversation already holds, in order. */
function playedBefore(steps: readonly Step[], messages: readonly Content[]): Step[] {
  const played: Step[] = [];
  for (const content of messages) {
    if (content.role !== 'assistant') continue;
    const step = steps.find((each) => !played.includes(each) && each.repeat !== true && isReplyOf(each, content));
    if (step !== undefined) played.push(step);
  }
  return played;
}

function isReplyOf(step: Step, content: AssistantContent): boolean {
  const calls = callsOf(content);
  const wanted = step.calls ?? [];
  return (
    visibleText(content) === (step.text ?? '') &&
    calls.length === wanted.length &&
    calls.every((call, at) => call.name === wanted[at]?.name && JSON.stringify(call.arguments) === JSON.stringify(wanted[at]?.arguments))
  );
}

function nextStep(steps: readonly Step[], used: ReadonlySet<Step>, request: ModelRequest, messages: readonly Content[]): Step | undefined {
  const said = messages.map((content) => (content.role === 'user' ? userText(content) : visibleText(content))).join('\n');
  return steps.find(
    (step) =>
      !used.has(step) && (step.plain === true) === (request.tools.length === 0) && (step.when === undefined || said.includes(step.when)),
  );
}

/** A request without tools that nobody wrote an answer for (a title, say) gets its own last words; any other is an error. */
function unwritten(agent: string, request: ModelRequest): Step {
  if (request.tools.length > 0) throw new ModelError('bad_request', 'scripted', `the script has no further step for ${agent}`);
  const asked = request.messages.findLast(({ role }) => role === 'user');
  return { text: asked === undefined ? 'ok' : visibleText(asked).slice(0, 40), plain: true, repeat: true };
}

async function speak(step: Step, chunkMs: number, { signal, onDelta }: ModelRequest, clock: Clock): Promise<void> {
  if (step.delayMs) await sleep(clock, step.delayMs, signal);
  for (const [type, text] of [
    ['thinking', step.thinking ?? ''],
    ['text', step.text ?? ''],
  ] as const)
    for (const delta of text.match(/[\s\S]{1,12}/gu) ?? []) {
      throwIfAborted(signal);
      onDelta?.({ type, delta });
      if (chunkMs > 0) await sleep(clock, chunkMs, signal);
      else await new Promise((resolve) => setImmediate(resolve));
    }
  throwIfAborted(signal);
}

function contentOf(step: Step, facts: ModelFacts, request: ModelRequest, messages: readonly Content[]): AssistantContent {
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  const parts: Part[] = [];
  if (step.thinking !== undefined) parts.push({ type: 'thinking', text: step.thinking });
  if (step.text !== undefined) parts.push({ type: 'text', text: step.text });
  for (const [at, call] of (step.calls ?? []).entries())
    parts.push({ type: 'call', id: `call_${turn}_${at}`, name: call.name, arguments: call.arguments });
  const content: AssistantContent = {
    role: 'assistant',
    parts,
    provider: facts.provider,
    model: facts.model,
    api: facts.api,
    finish: (step.calls?.length ?? 0) > 0 ? 'calls' : 'stop',
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    costUsd: null,
  };
  const input = estimateFixed(request) + messages.reduce((sum, each) => sum + estimateContent(each), 0);
  const output = estimateContent(content);
  return { ...content, usage: { input, output, cacheRead: 0, cacheWrite: 0, total: input + output } };
}
