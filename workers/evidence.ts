// What was observed of a piece of work, derived from stored rows and git, never from what the model says. Pure.
import { callsOf, type ToolContent } from '../store/sessions/message.ts';
import type { MessageRow } from '../store/sessions/sessions.ts';
import { OUTCOME_UNKNOWN } from './agent/turn/batch.ts';
import { testsSeen } from './worktree/tests-seen.ts';

export interface Evidence {
  readonly commands: Array<{ readonly command: string; readonly exitCode: number | null }>;
  /** `+212 -31 in 3 files`, base..HEAD of the branch; empty where there is no branch. */
  readonly diffstat: string;
  readonly files: string[];
  /** Summary lines of test runners, as they were printed. */
  readonly tests: string[];
  readonly tokens: number;
  readonly costUsd: number | null;
  readonly seconds: number;
}

export interface BranchFacts {
  readonly diffstat: string;
  readonly files: readonly string[];
}

const MOST_COMMANDS = 20;

/** Evidence from the rows of the turns that did the work. */
export function evidenceOf(rows: readonly MessageRow[], branch: BranchFacts | undefined): Evidence {
  const commands: Evidence['commands'] = [];
  const files = new Set<string>(branch?.files ?? []);
  const tests: string[] = [];
  let tokens = 0;
  let costUsd: number | null = 0;
  for (const { id, content } of rows) {
    if (content.role === 'assistant') {
      tokens += content.usage.total;
      costUsd = costUsd === null || content.costUsd === null ? null : costUsd + content.costUsd;
      for (const [index, call] of callsOf(content).entries()) {
        if (call.name !== 'bash') continue;
        const answer = rows.find((row) => row.content.role === 'tool' && row.content.callRow === id && row.content.callIndex === index);
        const result = answer?.content.role === 'tool' ? answer.content : undefined;
        if (result !== undefined && neverRan(result)) continue;
        const exitCode = result?.facts?.exitCode;
        commands.push({ command: firstLine(String(call.arguments.command)), exitCode: typeof exitCode === 'number' ? exitCode : null });
      }
    }
    if (content.role === 'tool') {
      const changed = content.facts?.changedFiles;
      if (branch === undefined && Array.isArray(changed)) for (const file of changed) if (typeof file === 'string') files.add(file);
      if (content.name === 'bash') tests.push(...testsSeen(content.text).lines);
    }
  }
  const times = rows.map((row) => row.createdAt);
  return {
    commands: commands.slice(-MOST_COMMANDS),
    diffstat: branch?.diffstat ?? '',
    files: [...files],
    tests: [...new Set(tests)].slice(-5),
    tokens,
    costUsd,
    seconds: times.length === 0 ? 0 : Math.round((Math.max(...times) - Math.min(...times)) / 1000),
  };
}

/** A call that was refused, invalid or never begun: bash notes an exit code, if only null, for all that it starts. */
function neverRan(result: ToolContent): boolean {
  return result.isError && result.facts?.exitCode === undefined && result.text !== OUTCOME_UNKNOWN;
}

/** Characters of a command that are quoted. */
const LONGEST_COMMAND = 120;

/** The first line that says something, shortened. */
function firstLine(command: string): string {
  const [line = ''] = command.trim().split('\n');
  const text = Array.from(line.trimEnd());
  return text.length <= LONGEST_COMMAND ? text.join('') : `${text.slice(0, LONGEST_COMMAND - 1).join('')}…`;
}
