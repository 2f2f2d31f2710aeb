// A teammate's agent: the member's life joined to a session, tools, its worktree and the lead on the other side of the
// port. Made of stores and functions, so that it can be tested without a thread.
import type { Remote } from 'comlink';
import type { Mailbox } from '../mailbox/mailbox.ts';
import type { Mail } from '../mailbox/message.ts';
import { LEAD } from '../mailbox/senders.ts';
import type { Clock } from '../store/clock.ts';
import type { Config } from '../store/config/config.ts';
import { secretValues } from '../store/config/secrets.ts';
import { errorMessage, XzError } from '../store/errors.ts';
import { stableHash } from '../store/ids.ts';
import type { Layout } from '../store/layout.ts';
import type { Locks } from '../store/lock.ts';
import type { MessageRow, Sessions } from '../store/sessions/sessions.ts';
import type { Tasks } from '../store/tasks/tasks.ts';
import { buildAgent } from './agent/build.ts';
import type { AgentEvent } from './agent/events.ts';
import type { SharedFolder } from './agent/files/shared-folder.ts';
import { chooseModel } from './agent/model/choose.ts';
import type { Identity } from './agent/model/from-config.ts';
import type { Model } from './agent/model/model.ts';
import type { Skills } from './agent/skills/skills.ts';
import type { PermissionAnswer, PermissionQuestion } from './agent/tools/frame.ts';
import { createSendNotice } from './agent/tools/send-notice.ts';
import { renderMail } from './mail-words.ts';
import { createMember } from './member.ts';
import { openPlace } from './place.ts';
import type { LeadApi, MemberState, MemberStatus, TeammateStart } from './protocol.ts';

/** After this time a bad file in the box has settled, and is moved aside. */
const LATER_MS = 2_500;

export interface MemberAgentInput {
  readonly start: TeammateStart;
  readonly clock: Clock;
  readonly layout: Layout;
  readonly locks: Locks;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly config: Config;
  readonly identity: Identity;
  readonly sessions: Sessions;
  readonly tasks: Tasks;
  readonly mailbox: Mailbox;
  readonly skills: Skills;
  readonly lead: () => Remote<LeadApi>;
  /** The main folder, when it works there beside others, and which of its files it changed last. */
  readonly folder?: { readonly shared: SharedFolder; held(): string[] };
}

export interface MemberAgent {
  live(): Promise<void>;
  wake(file?: string): void;
  interrupt(): void;
  stop(): void;
  close(): Promise<void>;
}

export function startMemberAgent(input: MemberAgentInput): MemberAgent {
  const { start, clock, config, sessions, tasks, mailbox } = input;
  const place = openPlace({
    start,
    clock,
    env: input.env,
    layout: input.layout,
    onMended: (text) =>
      void input
        .lead()
        .event({ type: 'notice', code: 'team', text })
        .catch(() => undefined),
  });
  const session = sessions.get(start.session);
  if (session === undefined) throw new XzError('not_found', `no session ${start.session} for ${start.name}`);
  const status = openStatus(
    input,
    (next) =>
      void input
        .lead()
        .status(next)
        .catch(() => undefined),
  );
  let model: Promise<Model> | undefined;
  let window = config.context.maxTokens ?? 262_144;
  let images = false;

  const sent = (to: string, file: string) =>
    void input
      .lead()
      .mailed(file, to)
      .catch(() => undefined);
  const withToken = (mail: Mail): Mail =>
    mail.taskId === undefined || mail.claim !== undefined
      ? mail
      : { ...mail, claim: stableHash('claim', start.epoch, mail.id).slice(0, 16) };
  const member = createMember({
    name: start.name,
    epoch: start.epoch,
    box: mailbox.openBox(start.name),
    sessions,
    work: {
      name: start.name,
      leadEpoch: start.leadEpoch,
      tasks,
      mailbox,
      commit: place.commit,
      mended: place.mended,
      evidence: (mail) => place.evidence(rowsOf(sessions, start, mail)),
    },
    withToken,
    claim: (mail) => claim(tasks, start, mail),
    limits: () => ({ deadline: clock.now() + config.team.maxMinutes * 60_000 }),
    ready: place.ready,
    // The list of the task before would be reminded of in the middle of this one.
    onTask: () => built.tools.newRequest(),
    refresh: place.refresh,
    render: (mail) => renderMail(mail, mail.taskId === undefined ? undefined : tasks.get(mail.taskId)),
    onState: status.state,
    onSent: (file) => sent(LEAD, file),
    later: (fn) => clock.after(LATER_MS, fn),
  });

  const built = buildAgent(
    {
      layout: input.layout,
      clock,
      locks: input.locks,
      sessions,
      tasks,
      config,
      env: input.env,
      process: { name: start.processName, hold: () => {} },
      binFolder: start.binFolder,
      version: start.version,
      skills: input.skills,
      trusted: start.trusted,
    },
    {
      kind: 'teammate',
      session,
      name: start.name,
      role: start.role,
      root: place.root,
      inWorktree: start.branch !== undefined,
      place: start.place,
      ...(input.folder !== undefined && { shared: input.folder.shared }),
      extraTools: [
        createSendNotice({
          mailbox,
          sessions,
          name: start.name,
          leadEpoch: start.leadEpoch,
          onSent: sent,
        }),
      ],
      model: async () => {
        model ??= chooseModel({ config, identity: input.identity, env: input.env, agent: start.name }, 'team');
        const chosen = await model;
        window = chosen.facts.window;
        images = chosen.facts.images;
        return chosen;
      },
      window: () => window,
      acceptsImages: () => images,
      permissions: () => ({ mode: start.mode, allow: start.allow, deny: config.permissions.deny }),
      ask: (question, signal) => askLead(input.lead, status, question, signal),
      secrets: () => secretValues(config),
      mail: member.mail,
      limits: {
        maxRounds: config.team.maxRounds,
        maxCostUsd: config.team.maxCostUsd,
        outOfBudget: async () => input.lead().outOfBudget(),
      },
      emit: (event) => {
        status.event(event);
        input
          .lead()
          .event(event)
          .catch(() => undefined);
      },
    },
  );
  status.spent(() => ({ tokens: built.agent.tokens(), costUsd: built.agent.costUsd() }));
  return {
    async live() {
      const why = await member.live(built.agent);
      if (why === 'ended') status.state('ended', undefined);
    },
    wake: member.wake,
    interrupt: member.interrupt,
    stop: member.stop,
    close: built.close,
  };
}

/** Asks the person through the lead; a turn that is stopped meanwhile takes its question back. */
async function askLead(
  lead: () => Remote<LeadApi>,
  status: Status,
  question: PermissionQuestion,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const withdraw = () =>
    void lead()
      .withdraw()
      .catch(() => undefined);
  status.asking(question.summary);
  try {
    const asked = lead().ask({
      tool: question.tool,
      summary: question.summary,
      rule: question.rule,
      ...(question.diff !== undefined && { diff: question.diff }),
    });
    if (signal.aborted) withdraw();
    signal.addEventListener('abort', withdraw, { once: true });
    const answer = await asked;
    return answer.verdict === 'refuse' ? { refuse: answer.reason } : answer.verdict;
  } finally {
    signal.removeEventListener('abort', withdraw);
    status.asked();
  }
}

/** The rows of the turn that a mail was worked on in. */
function rowsOf(sessions: Sessions, { session, name, epoch }: TeammateStart, mail: Mail): readonly MessageRow[] {
  const turn = sessions.turnThatSaw({ agent: name, epoch, mailId: mail.id });
  return turn === undefined ? [] : sessions.messages(session).filter((row) => row.turn === turn.id);
}

async function claim(tasks: Tasks, start: TeammateStart, mail: Mail): Promise<string | undefined> {
  if (mail.taskId === undefined || mail.claim === undefined) return undefined;
  try {
    await tasks.claim(mail.taskId, start.name, { token: mail.claim, session: start.session });
    return undefined;
  } catch (error) {
    if (error instanceof XzError && ['refused', 'conflict', 'not_found'].includes(error.code)) return errorMessage(error);
    throw error;
  }
}

interface Status {
  state(state: MemberState, task: string | undefined): void;
  event(event: AgentEvent): void;
  asking(summary: string): void;
  asked(): void;
  spent(read: () => { readonly tokens: number; readonly costUsd: number | null }): void;
}

/** What the lead and the screen see of this teammate, sent whenever it changes. */
function openStatus({ clock, folder }: MemberAgentInput, send: (status: MemberStatus) => void): Status {
  let now: MemberStatus = { state: 'idle', activity: 'waiting', since: clock.now(), tokens: 0, costUsd: null, files: [] };
  let read = () => ({ tokens: now.tokens, costUsd: now.costUsd });
  /** Files that calls of this turn write, by the call's key. */
  const writing = new Map<string, string>();
  const update = (fields: Partial<MemberStatus>): void => {
    const { detail: _detail, ...rest } = now;
    now = { ...rest, ...read(), since: clock.now(), ...fields };
    if (folder !== undefined) now = { ...now, files: folder.held() };
    send(now);
  };
  const written = (key: string, ok: boolean): readonly string[] => {
    const path = writing.get(key);
    writing.delete(key);
    return path === undefined || !ok ? now.files : [...new Set([...now.files, path])];
  };
  return {
    state: (state, task) => {
      const { task: _task, ...rest } = now;
      now = rest;
      update({
        state,
        activity: state === 'working' ? 'thinking' : 'waiting',
        ...(task !== undefined && { task }),
        ...(state === 'working' && { files: [] }),
      });
    },
    event(event) {
      if (event.type === 'tool_start' && ['write_file', 'edit_file'].includes(event.name)) writing.set(event.key, String(event.args.path));
      if (event.type === 'tool_start') update({ activity: 'tool', detail: `${event.name} ${JSON.stringify(event.args).slice(0, 80)}` });
      else if (event.type === 'tool_end') update({ activity: 'thinking', files: written(event.key, event.ok) });
      else if (event.type === 'usage') update({ activity: 'thinking' });
    },
    asking: (summary) => update({ activity: 'asking', detail: summary }),
    asked: () => update({ activity: 'tool' }),
    spent: (next) => {
      read = next;
    },
  };
}
