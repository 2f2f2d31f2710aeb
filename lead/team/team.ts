// The team as the lead has it: off until the person switches it on, then threads, results and the operations on them.
// One process at a time holds the team lease; only it consumes mail and starts teammates.
import { isoWithOffset } from '../../store/clock.ts';
import { XzError } from '../../store/errors.ts';
import { pathExists } from '../../store/files.ts';
import { randomId } from '../../store/ids.ts';
import type { Lease } from '../../store/lock.ts';
import type { TeammatePool } from '../../workers/pool.ts';
import type { TeamControl } from '../conversation.ts';
import { createTeamTools } from '../tools/team-tools.ts';
import { type Arrivals, watchFor } from './arrivals.ts';
import { openResults, type Results } from './collect.ts';
import { type Crew, note, ownEntries } from './crew.ts';
import { NO_TEAM_GUIDANCE, TEAM_GUIDANCE, teamBackground } from './guidance.ts';
import { type KeptWorktree, keptWorktree, type Unlanded, unlandedWork } from './landing.ts';
import { settleLeftOver, tieWorktrees } from './left-over.ts';
import { type Merged, mergeTeammate } from './merge.ts';
import { releaseIdle, releaseTeammate } from './release.ts';
import type { TeamSide } from './side.ts';
import { teammateStandings, teammateStatuses } from './status.ts';
import { takeBackClaims, tellOrphans } from './take-over.ts';
import { giveUp, isGivenUp, sharedFolderOf, startThread } from './threads.ts';

export interface TeamSetup extends Omit<Crew, 'epoch' | 'pool' | 'threads' | 'mailed' | 'changed'> {
  readonly openPool: () => Promise<TeammatePool>;
}

export interface Team extends TeamSide {
  /** Takes the lease; false, naming the holder, when another process leads here. */
  lead(): { readonly ok: true } | { readonly ok: false; readonly holder: string };
  /** Lands a teammate's branch, as `control.merge` does, and says whether it has landed. */
  mergeNow(name: string): Promise<Merged>;
  /** Switches the team on without starting anybody: `resume` does that, when there is somebody to see it. */
  begin(): Promise<void>;
  /** Teammates of this session that have work, a worktree or mail and no thread. */
  waiting(): string[];
  /** Reads the lead's mail also while the team is off, when this process holds the lease. */
  attend(): Promise<void>;
  /** Starts the threads of the teammates this session left, and finishes what was half done. */
  resume(): Promise<readonly string[]>;
  /** Work of teammates that has not landed, of earlier sessions too. */
  unlanded(): Promise<readonly Unlanded[]>;
  /** Teammates that this session had, those released during the run too. */
  everyone(): ReadonlyArray<{
    readonly name: string;
    readonly task: string | undefined;
    readonly state: string;
    readonly branch: string | undefined;
    /** The worktree that it left when it went. */
    readonly kept: KeptWorktree | undefined;
  }>;
  /** True when mail, threads or half-done steps of a team are waiting to be gone on with. */
  unfinished(): boolean;
}

export function createTeam(setup: TeamSetup): Team {
  const { parts, mailbox, roster } = setup;
  let lease: Lease | undefined;
  let enabled = false;
  let pool: TeammatePool | undefined;
  let results: Results | undefined;
  let arrivals: Arrivals | undefined;
  let epoch = '';
  const mailListeners = new Set<() => void>();
  const idleWaiters = new Set<() => void>();
  /** Everybody this run has had: a release removes the roster entry. */
  const had = new Map<string, ReturnType<Team['everyone']>[number]>();

  const remember = (): void => {
    for (const entry of ownEntries(crew)) {
      const { name, task, state, branch } = entry;
      had.set(name, { name, task, state, branch, kept: keptWorktree(parts.layout, entry) });
    }
  };

  const crew: Crew = {
    ...setup,
    threads: new Map(),
    epoch: () => epoch,
    pool: () => {
      if (pool === undefined) throw new XzError('internal', 'the team is off');
      return pool;
    },
    mailed(file) {
      results?.changed(file);
      for (const look of [...idleWaiters]) look();
      for (const listener of mailListeners) listener();
    },
    changed() {
      remember();
      results?.changed();
      for (const look of [...idleWaiters]) look();
    },
  };

  const busyNames = (): string[] =>
    [...crew.threads.values()].filter((thread) => thread.busy() || mailbox.pending(thread.name).work > 0).map((thread) => thread.name);

  const holdLease = (): { readonly ok: true } | { readonly ok: false; readonly holder: string } => {
    if (lease !== undefined) return { ok: true };
    const taken = parts.locks.tryLease('team');
    if (taken.holder !== undefined) return { ok: false, holder: taken.holder };
    lease = taken;
    tieWorktrees(crew);
    return { ok: true };
  };

  /** The lead's own roster entry: its session and the team's epoch, minted anew when another session takes over. */
  const takeOver = async (): Promise<void> => {
    const entry = roster.read('Lead');
    if (entry?.session === crew.session()) {
      epoch = entry.epoch;
      await takeBackClaims(crew, false);
      return;
    }
    epoch = randomId(12);
    crew.files.forget();
    mailbox.ensureBox('Lead');
    roster.write({ name: 'Lead', session: crew.session(), epoch, state: 'idle', createdAt: isoWithOffset(parts.clock.now()) });
    await takeBackClaims(crew, true);
  };

  /** From here on this process consumes the lead's mail. */
  const openOwnBox = async (): Promise<void> => {
    if (results !== undefined) return;
    await takeOver();
    results = openResults(crew, mailbox.openBox('Lead'), busyNames);
    results.recover();
    arrivals = watchFor(crew, 'Lead', (file) => crew.mailed(file));
  };

  /** A person may have removed the entry meanwhile; then it says nothing. */
  const noteOwnState = (state: 'idle' | 'working'): void => {
    if (roster.read('Lead') !== undefined) roster.change('Lead', { state });
  };

  const switchOn = async (): Promise<void> => {
    if (enabled) return;
    // A command that an agent runs: only the person switches a team on, whatever flag or variable it has come with.
    if (parts.env.XZ_AGENT)
      throw new XzError('refused', 'a command that an agent runs has no team', { hint: 'only the person can switch it on' });
    const held = holdLease();
    if (!held.ok)
      throw new XzError('refused', `the team of this workspace is led by ${held.holder}`, {
        hint: 'end that process, or work there',
        data: { kind: 'team', holder: held.holder },
      });
    await openOwnBox();
    await takeOver();
    pool = await setup.openPool();
    await settleLeftOver(crew);
    await tellOrphans(crew);
    crew.files.endCommands();
    enabled = true;
    noteOwnState('working');
    note(crew, 'team', 'Lead', 'switched on', { max: setup.settings.max });
  };

  /** A spawn that was cut before the folder was ready is gone on with by its call, which is executed again. */
  const waitingEntries = () =>
    ownEntries(crew).filter(
      (entry) => entry.state !== 'ended' && entry.place !== undefined && !crew.threads.has(entry.name) && !isGivenUp(entry),
    );
  const startWaiting = (): string[] =>
    waitingEntries().map((entry) => {
      startThread(crew, entry);
      return entry.name;
    });

  const stopThreads = () => Promise.all([...crew.threads.values()].map((thread) => thread.stop()));

  const control: TeamControl = {
    enabled: () => enabled,
    status: () => teammateStatuses(crew),
    standings: () => teammateStandings(crew),
    async on() {
      await switchOn();
      startWaiting();
    },
    async off() {
      if (!enabled) return [];
      for (const entry of ownEntries(crew)) if (entry.state !== 'ended') await releaseTeammate(crew, entry.name);
      enabled = false;
      crew.files.forget();
      noteOwnState('idle');
      await pool?.close();
      pool = undefined;
      note(crew, 'team', 'Lead', 'switched off');
      return (await unlanded()).map((one) => one.branch);
    },
    async message(name, text) {
      const sent = mailbox.send({ type: 'notice', from: 'user', to: name, body: text });
      crew.threads.get(name)?.wake(sent.file);
    },
    interrupt(name) {
      crew.threads.get(name)?.interrupt();
      return Promise.resolve();
    },
    release: (name) => releaseTeammate(crew, name),
    merge: async (name) => (await mergeNow(name)).text,
    transcript: (name) => {
      const entry = roster.read(name);
      return entry === undefined ? [] : parts.sessions.messages(entry.session);
    },
  };

  /** A merge that a person asks for: there is no tool call to name its hand-back. */
  const mergeNow = (name: string) =>
    mergeTeammate(crew, name, `${parts.clock.now().toString(36).padStart(9, '0')}000${randomId(10)}`, new AbortController().signal);

  const unlanded = () => unlandedWork(crew);

  return {
    control,
    mergeNow,
    begin: switchOn,
    waiting: () => waitingEntries().map((entry) => entry.name),
    lead: holdLease,
    async attend() {
      if (lease !== undefined) await openOwnBox();
    },
    tools: () =>
      enabled
        ? createTeamTools(crew, (waitMs, signal) => results?.collect(waitMs, signal) ?? Promise.resolve({ text: 'the team is off' }))
        : [],
    guidance: () => (enabled ? TEAM_GUIDANCE : NO_TEAM_GUIDANCE),
    leaveSession() {
      const there = [...crew.threads.keys()].join(', ');
      if (there !== '')
        throw new XzError('conflict', `the team belongs to this session: ${there}`, { hint: 'release them, or /team off, first' });
    },
    async enterSession() {
      if (!enabled) return;
      await takeOver();
      startWaiting();
    },
    shared: (agent) => (enabled ? sharedFolderOf(crew, agent) : undefined),
    background: async () => (enabled ? teamBackground(await teammateStandings(crew)) : undefined),
    nextMail() {
      if (results === undefined || !results.waiting()) return undefined;
      const mail = results.take('all');
      return mail.length === 0 ? undefined : { kind: 'mail', mail };
    },
    hasMail: () => results?.waiting() ?? false,
    onMail: (listener) => void mailListeners.add(listener),
    goAlong: () => results?.goAlong() ?? [],
    takeMail: () => results?.takeMail() ?? Promise.resolve([]),
    turnEnded: (state) => results?.turnEnded(state) ?? Promise.resolve(),
    idle() {
      return new Promise((resolve) => {
        const look = () => {
          if (busyNames().length > 0 || crew.inbox.open().length > 0) return;
          idleWaiters.delete(look);
          resolve();
        };
        idleWaiters.add(look);
        look();
      });
    },
    cost: () => ownEntries(crew).map((entry) => ({ agent: entry.name, ...parts.sessions.spent(entry.session) })),
    async resume() {
      if (!enabled) return [];
      for (const entry of ownEntries(crew)) if (isGivenUp(entry)) await giveUp(crew, entry.name);
      return startWaiting();
    },
    everyone() {
      remember();
      const present = new Set(ownEntries(crew).map((entry) => entry.name));
      return [...had.values()].map((one) => (present.has(one.name) ? one : { ...one, state: 'ended', kept: undefined }));
    },
    unlanded,
    unfinished() {
      if (!enabled || !pathExists(parts.layout.mailbox)) return false;
      const waits = (name: string) => {
        const { work, held } = mailbox.pending(name);
        return work + held > 0;
      };
      // A result that nobody has read yet waits in the lead's own box.
      if (waits('Lead')) return true;
      return ownEntries(crew).some(
        (entry) => entry.state !== 'ended' && !isGivenUp(entry) && (entry.state !== 'idle' || waits(entry.name)),
      );
    },
    async close() {
      await arrivals?.stop();
      await stopThreads();
      try {
        if (enabled) await releaseIdle(crew);
        if (enabled) noteOwnState('idle');
      } finally {
        await pool?.close();
        lease?.release();
      }
    },
  };
}
