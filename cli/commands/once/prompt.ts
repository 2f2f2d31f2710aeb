// Where the request of `xz once` comes from: the argument, or all of stdin when it is not a terminal. With a session named,
// a stdin that holds nothing means that no request is given.
import { fstatSync } from 'node:fs';
import { errnoOf, XzError } from '../../../store/errors.ts';
import type { App } from '../../compose.ts';
import type { CommandCall } from '../../table/command.ts';

/** How long the first byte on stdin is waited for when a request is needed, ms. */
const FIRST_BYTE_MS = 5_000;
/** And when none is: a pipe that was only inherited must not hold up what is to be finished. */
const INHERITED_MS = 1_000;

/** The request, or undefined when `--resume` or `--session` go without one. Throws `bad_input` when one is needed. */
export async function readPrompt(app: App, call: CommandCall): Promise<string | undefined> {
  const { once } = app.text;
  const refuse = (why: string) => new XzError('bad_input', why, { hint: once.noPromptHint });
  const given = call.args.prompt;
  if (given !== undefined) {
    if (given.trim() === '') throw refuse(once.noPrompt);
    return given;
  }
  if (call.options.resume !== undefined || call.options.session !== undefined) {
    if (!canHoldPrompt()) return undefined;
    const text = await readAll(process.stdin, INHERITED_MS);
    return text === undefined || text.trim() === '' ? undefined : text;
  }
  if (process.stdin.isTTY) throw refuse(once.noPrompt);
  const text = await readAll(process.stdin, FIRST_BYTE_MS);
  if (text === undefined) throw refuse(once.noInput);
  if (text.trim() === '') throw refuse(once.noPrompt);
  return text;
}

/** True for a pipe, a socket or a file: not for a terminal, not for /dev/null. */
function canHoldPrompt(): boolean {
  try {
    const kind = fstatSync(0);
    return kind.isFIFO() || kind.isSocket() || kind.isFile();
  } catch (error) {
    if (errnoOf(error) === 'EBADF') return false;
    throw error;
  }
}

/** All of the stream; undefined, and the stream closed, when no byte and no end has come in `firstByteMs`. */
function readAll(stream: NodeJS.ReadStream, firstByteMs: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => {
      stream.destroy();
      resolve(undefined);
    }, firstByteMs);
    stream.on('data', (chunk: Buffer) => {
      clearTimeout(timer);
      chunks.push(chunk);
    });
    stream.on('end', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks).toString('utf8'));
    });
    stream.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
}
