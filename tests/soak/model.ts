// The scripted model of a soak: rounds without end, in each of which the lead makes three tasks, hands them to the same
// three teammates, collects, approves, merges, archives and searches. Turns of the schedule are answered in between.
import { NAMES } from '../fixtures/team-model.ts';
import type { Reply, ReplyCall } from '../helpers/model-reply.ts';
import { offeredTools, type SentBody, sentText } from '../helpers/model-server.ts';

export interface SoakModel {
  respond(body: SentBody): Reply;
  /** Rounds whose last word was said. */
  rounds(): number;
  /** Turns of the schedule that reached the model. */
  wakeUps(): number;
}

const call = (name: string, args: Record<string, unknown>): ReplyCall => ({ name, args });

export function promptOf(round: number): string {
  return `soak round ${round}`;
}

export function lastWordsOf(round: number): string {
  return `round ${round} is over`;
}

export function soakModel(): SoakModel {
  let round = 0;
  let step = 0;
  let over = 0;
  let wakeUps = 0;
  const taskOf = (name: string) => `r${round}-${name}`;

  function lead(body: SentBody): Reply {
    const asked = lastUserText(body);
    const wanted = Number(/soak round (\d+)/.exec(asked)?.[1] ?? round);
    if (asked.includes('[Scheduled Task:') && body.messages.at(-1)?.role === 'user') {
      wakeUps++;
      return { text: 'noted' };
    }
    if (wanted !== round) {
      round = wanted;
      step = 0;
    }
    return nextStep(body);
  }

  function nextStep(body: SentBody): Reply {
    const said = body.messages.map(sentText).join('\n');
    if (step === 0) {
      step = 1;
      return { calls: NAMES.map((name) => call('create_task', { title: taskOf(name), description: `do ${taskOf(name)}` })) };
    }
    if (step === 1) {
      step = 2;
      return { calls: NAMES.map((name) => (round === 1 ? spawn(name) : call('assign_task', { teammate: name, task: taskOf(name) }))) };
    }
    if (step === 2) {
      if (NAMES.some((name) => !said.includes(`finished ${taskOf(name)}.`)))
        return { calls: [call('collect_results', { wait_seconds: 20 })] };
      step = 3;
      return {
        calls: NAMES.flatMap((name) => [
          call('review_teammate', { name, verdict: 'approve' }),
          call('merge_teammate', { name }),
          call('archive_tasks', { root: taskOf(name) }),
        ]),
      };
    }
    if (step === 3) {
      step = 4;
      const search = `xz history search "round ${round}" -l 3; xz memory search "部署" -l 3; xz task list`;
      return {
        calls: [call('bash', { command: search }), call('grep', { pattern: 'round', path: '.' }), call('create_todo', { items: ['a'] })],
      };
    }
    if (step === 4) {
      over = round;
      step = 5;
    }
    return { text: `${'Some words about what was done. '.repeat(20)}${lastWordsOf(round)}` };
  }

  const spawn = (name: string) => call('spawn_teammate', { name, role: 'builder', task: taskOf(name), worktree: true });

  return {
    respond(body) {
      if (body.tools === undefined) return { text: asksForJson(body) ? '{"facts": [], "topics": []}' : 'Rounds of work, all merged.' };
      return offeredTools(body).includes('create_task') ? lead(body) : teammate(body);
    },
    rounds: () => over,
    wakeUps: () => wakeUps,
  };
}

/** Writes a file, reads it, says that it is finished. */
function teammate(body: SentBody): Reply {
  const at = body.messages.findLastIndex((message) => message.role === 'user' && /do r\d+-\w+/.test(sentText(message)));
  const task = /do (r\d+-(\w+))/.exec(sentText(body.messages[at]));
  const results = body.messages.slice(at + 1).filter((message) => message.role === 'tool').length;
  const file = `parts/${task?.[2] ?? 'nobody'}.txt`;
  if (results === 0) return { calls: [call('bash', { command: `mkdir -p parts; echo ${task?.[1]} > ${file}; seq 200` })] };
  if (results === 1) return { calls: [call('read_file', { path: file }), call('glob', { pattern: '**/*.txt' })] };
  return { text: `finished ${task?.[1]}.` };
}

function lastUserText(body: SentBody): string {
  return sentText(body.messages.findLast((message) => message.role === 'user'));
}

function asksForJson(body: SentBody): boolean {
  return body.messages.some((message) => sentText(message).includes('one JSON object'));
}
