import { expect, test } from 'vitest';
import type { Content, ToolContent } from '../../store/sessions/message.ts';
import type { MessageRow } from '../../store/sessions/sessions.ts';
import { OUTCOME_UNKNOWN } from '../../workers/agent/turn/batch.ts';
import { evidenceOf } from '../../workers/evidence.ts';

const row = (id: number, content: Content): MessageRow => ({ id, session: 's', turn: 1, content, createdAt: id * 1_000 });

/** The rows of one reply that runs these commands, with their results. */
function rowsOf(calls: ReadonlyArray<readonly [command: string, result: Partial<ToolContent>]>): MessageRow[] {
  const said: Content = {
    role: 'assistant',
    parts: calls.map(([command], at) => ({ type: 'call', id: `c${at}`, name: 'bash', arguments: { command } })),
    provider: 'openai',
    api: 'openai-completions',
    model: 'm',
    finish: 'calls',
    usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, total: 2 },
    costUsd: null,
  };
  return [
    row(1, said),
    ...calls.map(([, result], at) =>
      row(at + 2, {
        role: 'tool',
        callRow: 1,
        callIndex: at,
        callId: `c${at}`,
        name: 'bash',
        text: 'out',
        isError: false,
        ...result,
      }),
    ),
  ];
}

test('only commands that were started are told as run, those of unknown outcome without an exit code', () => {
  const { commands } = evidenceOf(
    rowsOf([
      ['npm test', { facts: { exitCode: 0 } }],
      ['rm -rf .', { text: 'refused in every mode: that deletes the whole workspace', isError: true }],
      ['npm publish', { text: 'the person refused this call', isError: true }],
      ['curl x', { text: 'refused: nobody is here to allow bash.', isError: true }],
      ['', { text: 'bash: the command is empty', isError: true }],
      ['sleep 999', { text: '[ended]', isError: true, facts: { exitCode: null } }],
      ['make', { text: OUTCOME_UNKNOWN, isError: true }],
      ['node server.js', { text: 'started in the background', facts: { background: 'b1' } }],
    ]),
    undefined,
  );
  expect(commands).toEqual([
    { command: 'npm test', exitCode: 0 },
    { command: 'sleep 999', exitCode: null },
    { command: 'make', exitCode: null },
    { command: 'node server.js', exitCode: null },
  ]);
});

test('a command is quoted by its first line, at most 120 characters', () => {
  const { commands } = evidenceOf(
    rowsOf([
      ["\ncat > x <<'EOF'\nline\nEOF", { facts: { exitCode: 0 } }],
      [`echo ${'啊'.repeat(300)}`, { facts: { exitCode: 1 } }],
    ]),
    undefined,
  );
  expect(commands[0]?.command).toBe("cat > x <<'EOF'");
  expect(Array.from(commands[1]?.command ?? '')).toHaveLength(120);
});

test('summaries of tests are those that the gate knows too, the last of many', () => {
  const packages = Array.from({ length: 40 }, (_, at) => `ok  \texample.com/p${at}\t0.01s`).join('\n');
  const { tests } = evidenceOf(
    rowsOf([
      ['mvn test', { text: 'Tests run: 14, Failures: 1, Errors: 0, Skipped: 0' }],
      ['go test ./...', { text: `${packages}\nFAIL\texample.com/z\t0.2s` }],
      ['npx playwright test', { text: '  2 passed (3.4s)' }],
    ]),
    undefined,
  );
  expect(tests).toEqual([
    'ok  \texample.com/p37\t0.01s',
    'ok  \texample.com/p38\t0.01s',
    'ok  \texample.com/p39\t0.01s',
    'FAIL\texample.com/z\t0.2s',
    '2 passed (3.4s)',
  ]);
});
