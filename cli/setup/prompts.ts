// What the wizard needs of a terminal. Two implementations: clack (clack.ts) and, in tests, written answers.

export interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
}

/** Every question gives undefined when the person cancels (Ctrl-C, Esc). */
export interface Prompts {
  intro(title: string): void;
  outro(text: string): void;
  note(text: string, title: string): void;
  info(text: string): void;
  warn(text: string): void;
  select<T extends string>(message: string, choices: ReadonlyArray<Choice<T>>, initial?: T): Promise<T | undefined>;
  /** `check` returns what is wrong, or undefined. */
  text(
    message: string,
    options: { readonly initial?: string; readonly example?: string; readonly check?: (value: string) => string | undefined },
  ): Promise<string | undefined>;
  /** Typed characters never reach the screen. */
  secret(message: string, check: (value: string) => string | undefined): Promise<string | undefined>;
  confirm(message: string, initial: boolean): Promise<boolean | undefined>;
  /** Waits for Enter. */
  pause(message: string): Promise<true | undefined>;
  /** Shows that something is going on; `ended` makes the line that stays. */
  busy<T>(message: string, work: () => Promise<T>, ended: (value: T) => string): Promise<T>;
}
