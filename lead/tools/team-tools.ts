// The team as tools of the lead. All are keyed: the same call executed again after a crash does nothing twice.
import { Type } from 'typebox';
import { defineTool, type Tool, type ToolContext, type ToolResult } from '../../workers/agent/tools/tool.ts';
import { assignTask, liveTeammate, resolveTask } from '../team/assign.ts';
import { type Crew, isLive, mailIdOf, ownEntries } from '../team/crew.ts';
import { mergeTeammate } from '../team/merge.ts';
import { releaseTeammate } from '../team/release.ts';
import { reviewTeammate } from '../team/review.ts';
import { spawnTeammate } from '../team/spawn.ts';
import { refuseAway } from '../team/take-over.ts';

/** Longest wait of collect_results, seconds. */
const MOST_WAIT_S = 600;

type Collect = (waitMs: number, signal: AbortSignal) => Promise<ToolResult>;

export function createTeamTools(crew: Crew, collect: Collect): Tool[] {
  return [spawn(crew), assign(crew), collectResults(collect), review(crew), merge(crew), release(crew), broadcast(crew)];
}

function spawn(crew: Crew): Tool {
  return defineTool({
    name: 'spawn_teammate',
    description:
      'Starts a teammate in a thread of its own with a private context. Give it a task id (or text, which becomes a task) to begin with. worktree: true gives it its own checkout on its own branch, to be landed with merge_teammate; without one it works in the main folder.',
    parameters: Type.Object({
      name: Type.String({ description: 'a short name: a letter, then letters, digits, "_" or "-"' }),
      role: Type.Optional(Type.String({ description: 'what it is good for, in a few words' })),
      task: Type.Optional(Type.String({ description: 'a task id, or the task as text' })),
      worktree: Type.Optional(Type.Boolean()),
    }),
    readOnly: false,
    keyed: true,
    run: async ({ name, role, task, worktree }, { origin, signal }) => ({
      text: await spawnTeammate(crew, { name, role, task, worktree }, origin, signal),
    }),
  });
}

function assign(crew: Crew): Tool {
  return defineTool({
    name: 'assign_task',
    description:
      'Gives a teammate its next task: a task id, or text, which becomes a task. The task must be ready: everything it is blocked by is completed and landed.',
    parameters: Type.Object({ teammate: Type.String(), task: Type.String() }),
    readOnly: false,
    keyed: true,
    run: async ({ teammate, task }, { origin, signal }) => {
      // Asked first: a task made for nobody would be left over.
      liveTeammate(crew, teammate);
      const id = await resolveTask(crew, task, origin, signal);
      return { text: await assignTask(crew, { teammate, task: id }, origin, signal) };
    },
  });
}

function collectResults(collect: Collect): Tool {
  return defineTool({
    name: 'collect_results',
    description:
      'Hands out the results that have arrived: each with the whole last reply of the teammate and what was observed (commands with exit codes, changed files, tests, tokens). With wait_seconds it waits for the next one while somebody works.',
    parameters: Type.Object({ wait_seconds: Type.Optional(Type.Number({ minimum: 0, maximum: MOST_WAIT_S })) }),
    readOnly: false,
    keyed: true,
    run: ({ wait_seconds = 0 }, { signal }) => collect(wait_seconds * 1_000, signal),
  });
}

function review(crew: Crew): Tool {
  return defineTool({
    name: 'review_teammate',
    description:
      "Your verdict on a teammate's last result: approve (nothing is sent), or revise with feedback, which takes its task up again.",
    parameters: Type.Object({
      name: Type.String(),
      verdict: Type.Union([Type.Literal('approve'), Type.Literal('revise')]),
      feedback: Type.Optional(Type.String({ description: 'for revise: what is wrong and what would make it right' })),
    }),
    readOnly: false,
    keyed: true,
    run: async ({ name, verdict, feedback }, { origin, signal }) => ({
      text: await reviewTeammate(crew, { name, verdict, feedback }, origin, signal),
    }),
  });
}

function merge(crew: Crew): Tool {
  return defineTool({
    name: 'merge_teammate',
    description:
      "Lands a teammate's branch in the main checkout: merged in a gate worktree first, the project's gate is run there, and only then the main checkout moves forward. Conflict or a red gate changes nothing and goes back to the teammate as a review.",
    parameters: Type.Object({ name: Type.String() }),
    readOnly: false,
    keyed: true,
    run: async ({ name }, { origin, signal }) => {
      const { text, files } = await mergeTeammate(crew, name, mailIdOf(crew, origin, 'handback'), signal);
      return { text, ...(files !== undefined && { changedFiles: files }) };
    },
  });
}

function release(crew: Crew): Tool {
  return defineTool({
    name: 'release_teammate',
    description: 'Ends a teammate and frees its place. A clean worktree is removed; a branch with unlanded work is kept and named.',
    parameters: Type.Object({ name: Type.String() }),
    readOnly: false,
    keyed: true,
    run: async ({ name }) => ({ text: await releaseTeammate(crew, name) }),
  });
}

function broadcast(crew: Crew): Tool {
  return defineTool({
    name: 'broadcast_notice',
    description: 'Tells teammates something they should know while they work; it starts no work. Without `to`, all of them.',
    parameters: Type.Object({ message: Type.String({ minLength: 1 }), to: Type.Optional(Type.Array(Type.String())) }),
    readOnly: false,
    keyed: true,
    run: ({ message, to }, context) => Promise.resolve(sendNotices(crew, message, to, context)),
  });
}

function sendNotices(crew: Crew, message: string, to: readonly string[] | undefined, { origin }: ToolContext): ToolResult {
  const names =
    to ??
    ownEntries(crew)
      .filter(isLive)
      .map((entry) => entry.name);
  if (names.length === 0) return { text: 'There is no teammate to tell.' };
  for (const name of names) {
    const entry = crew.roster.read(name);
    if (entry !== undefined && name !== 'Lead') refuseAway(crew, entry);
    // All before the first is told: the call would be made again, and tell that one twice.
    crew.mailbox.checkRecipient(name);
  }
  for (const name of names) {
    const sent = crew.mailbox.send({ id: mailIdOf(crew, origin, 'notice', name), type: 'notice', from: 'Lead', to: name, body: message });
    crew.threads.get(name)?.wake(sent.file);
  }
  return { text: `Told ${names.join(', ')}.` };
}
