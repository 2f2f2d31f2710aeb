// `xz doctor`: what works, what does not, and what to do; with --repair, what can be mended without losing anything.
import type { CommandSpec } from '../table/command.ts';

export const doctorCommand: CommandSpec = {
  name: 'doctor',
  help: (t) => t.doctor.help,
  options: [{ flags: '--repair', help: (t) => t.doctor.repair }],
  load: async () => (await import('./doctor/run.ts')).runDoctor,
};
