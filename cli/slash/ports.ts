// The stores as slash commands and panels need them: few operations, filled in by open-stores.ts. A store that is absent is
// said to be by its command.
export interface TaskLine {
  readonly id: string;
  readonly title: string;
  readonly state: string;
  readonly assignee?: string;
  readonly landed?: boolean;
  readonly waitingFor: readonly string[];
}

export interface TaskPort {
  /** Tasks that are not archived, in the order they should be read. */
  list(): readonly TaskLine[];
  /** One task in full, as Markdown. Ids may be unique prefixes, here and below. */
  show(id: string): string;
  /** Sets a state or a priority; resolves to the task's id. */
  update(id: string, change: string): Promise<string>;
  archive(root: string): Promise<string>;
  /** Removes what no live agent works on; returns how many. */
  clear(): Promise<number>;
}

export interface MemoryConflict {
  readonly id: string;
  readonly topic: string;
  readonly older: string;
  readonly newer: string;
}

export interface MemoryPort {
  /** Topics as `category/topic`. */
  topics(): readonly string[];
  show(topic: string): string;
  forget(topic: string): Promise<string>;
  /** Absent where topics cannot be organised. */
  readonly organize?: () => Promise<string>;
  conflicts(): readonly MemoryConflict[];
  resolve(id: string, keep: 'new' | 'old' | 'merge'): Promise<string>;
}

export interface ScheduleLine {
  readonly id: string;
  readonly description: string;
  readonly nextRun: number | undefined;
  readonly lastStatus: string | undefined;
  readonly enabled: boolean;
}

export interface SchedulePort {
  list(): readonly ScheduleLine[];
  /** Returns the id; it may be given as a unique prefix. */
  remove(id: string): string;
}

export interface SkillPort {
  list(): ReadonlyArray<{ readonly name: string; readonly description: string }>;
  /** The text that is sent as the person's request when they call the skill with these arguments. */
  prompt(name: string, args: string): string;
}

export interface SessionPort {
  /** Lead sessions of the workspace, newest first. */
  list(): ReadonlyArray<{ readonly id: string; readonly title: string; readonly messages: number; readonly updatedAt: number }>;
}

export interface StorePorts {
  readonly tasks?: TaskPort;
  readonly memory?: MemoryPort;
  readonly schedule?: SchedulePort;
  readonly skills?: SkillPort;
  readonly sessions?: SessionPort;
  /** Topics that memory recalled for the last request, as `category/topic`. */
  readonly recalled?: () => readonly string[];
}
