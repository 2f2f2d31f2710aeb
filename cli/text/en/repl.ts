// Words of the REPL.
export const replText = {
  hello: (version: string, model: string) => `xz ${version} · ${model} · /help for commands, Ctrl+C twice to leave`,
  again: '(Ctrl+C again to leave)',
  interrupted: '(interrupted)',
  queued: (count: number) => `(queued: ${count})`,
  ask: 'y allow · n refuse · a always: ',
  pick: (most: number) => `number 1-${most}, or nothing: `,
};
