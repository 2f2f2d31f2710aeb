// The first words of our own command lines. Kept apart from the table, which costs more to load; a test holds the two
// together.

export const COMMAND_WORDS: ReadonlySet<string> = new Set([
  'once',
  'daemon',
  'task',
  'team',
  'mail',
  'memory',
  'history',
  'schedule',
  'skill',
  'config',
  'auth',
  'doctor',
  'completion',
  'help',
]);
