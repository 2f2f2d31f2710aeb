import type { RunCommand } from '../../table/command.ts';
export const runOnce: RunCommand = async (app) => {
  app.print.line('once');
  return 0;
};
