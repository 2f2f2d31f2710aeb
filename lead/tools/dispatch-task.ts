// dispatch_task: a one-shot sub-agent works on one task of the graph. The task is claimed for the time of the run, and
// only a reply that ended by itself completes it: error, limit and interruption are failures.
import { Type } from 'typebox';
import { errorMessage } from '../../store/errors.ts';
import { stableHash } from '../../store/ids.ts';
import type { TaskView } from '../../store/tasks/graph.ts';
import { MAX_ATTEMPTS } from '../../store/tasks/states.ts';
import type { Tasks } from '../../store/tasks/tasks.ts';
import { type CallOrigin, defineTool, type ToolResult, toolError } from '../../workers/agent/tools/tool.ts';
import { CUT_SHORT, type RunSubAgent, type SubAgentEnd, whyUnfinished } from './sub-agent.ts';

export interface DispatchInput {
  readonly tasks: Tasks;
  readonly runSubAgent: RunSubAgent;
}

export function createDispatchTask({ tasks, runSubAgent }: DispatchInput) {
  /** Tokens of the runs of this process: a claim of this session that is not among them was cut short. */
  const running = new Set<string>();

  return defineTool({
    name: 'dispatch_task',
    description:
      'Gives a ready task to a one-shot sub-agent with a context of its own, waits for it, and returns its reply. ' +
      'The task is completed when the sub-agent finishes; when it ends by an error or a limit the task goes back to pending, after three failed attempts to failed. ' +
      'The sub-agent works in the same folder and sees the title, the description and the results of the blockers, nothing of this conversation. Check its work before you build on it.',
    parameters: Type.Object({
      id: Type.String({ description: 'Id of a task that is ready' }),
    }),
    readOnly: false,
    keyed: false,
    async run({ id }, { agent, origin, signal }) {
      await endCutShort(tasks, id, { agent, session: origin.session, running });
      const token = tokenOf(origin);
      const { task } = await tasks.claim(id, agent, { token, session: origin.session }, signal);
      running.add(token);
      try {
        const end = await runSubAgent({ task: requestOf(tasks, id), title: task.title, signal, origin }).catch(asEnd);
        return await settle(tasks, id, token, end);
      } finally {
        running.delete(token);
      }
    },
  });
}

/** A run that a crash or an interruption cut short is a failed attempt; only its own session may say so. */
async function endCutShort(
  tasks: Tasks,
  id: string,
  own: { readonly agent: string; readonly session: string; readonly running: ReadonlySet<string> },
): Promise<void> {
  const task = tasks.get(id);
  if (task?.state !== 'in_progress' || task.claim === undefined) return;
  const { by, token, session } = task.claim;
  if (by === own.agent && session === own.session && !own.running.has(token)) await tasks.fail(id, token, CUT_SHORT);
}

/** A task file is for people to read: of a failed run it keeps this many characters of the last words. */
const KEPT_OF_FAILURE = 2_000;

/** Records how it ended. Without the call's signal: an interrupted run must still give its claim back. */
async function settle(tasks: Tasks, id: string, token: string, end: SubAgentEnd): Promise<ToolResult> {
  const why = whyUnfinished(end);
  if (why === undefined) {
    await tasks.complete(id, token, { result: end.text });
    return { text: `Task ${id} is completed. The sub-agent's reply:\n${end.text}`, facts: { task: id } };
  }
  const task = await tasks.fail(id, token, end.text === '' ? why : `${why}: ${end.text.slice(0, KEPT_OF_FAILURE)}`);
  const left = task.state === 'failed' ? 'it is failed now' : `it is pending again (${task.attempts} of ${MAX_ATTEMPTS} attempts failed)`;
  return toolError(`Task ${id} was not completed: ${why}; ${left}.${end.text === '' ? '' : ` Last words:\n${end.text}`}`);
}

function asEnd(error: unknown): SubAgentEnd {
  return { stopReason: 'error', text: errorMessage(error) };
}

function tokenOf({ session, row, index }: CallOrigin): string {
  return stableHash('dispatch', session, String(row), String(index)).slice(0, 20);
}

/** What the sub-agent is asked: the task, what its blockers brought, and what went wrong before. */
function requestOf(tasks: Tasks, id: string): string {
  const task = tasks.get(id);
  return task === undefined ? id : taskRequest(task, (blocker) => tasks.get(blocker));
}

/** A task as a request to an agent that sees nothing else. */
function taskRequest(task: TaskView, lookup: (id: string) => TaskView | undefined): string {
  const parts = [`# Task: ${task.title}`];
  if (task.description !== '') parts.push(task.description);
  const results = task.blockedBy.flatMap((id) => {
    const blocker = lookup(id);
    return blocker?.result === undefined ? [] : [`- ${blocker.title}: ${blocker.result}`];
  });
  if (results.length > 0) parts.push(`## Results of the tasks before\n${results.join('\n')}`);
  if (task.note !== undefined) parts.push(`## Note\n${task.note}`);
  if (task.failures.length > 0)
    parts.push(`## What went wrong before\n${task.failures.map(({ agent, error }) => `- ${agent}: ${error}`).join('\n')}`);
  parts.push('Work on this task only, check your work, and end with a short report: what was done, which files, how it was checked.');
  return parts.join('\n\n');
}
