// Where the request of `xz once` comes from: the argument, or all of stdin when it is not a terminal.
import { XzError } from '../../../store/errors.ts';
import type { App } from '../../compose.ts';
import type { CommandCall } from '../../table/command.ts';

/** How long the first byte on stdin is waited for, ms. */
const FIRST_BYTE_MS = 5_000;

/** The request, or undefined when `--resume` or `--session` go without one. Throws `bad_input` when one is needed. */
export async function readPrompt(app: App, call: CommandCall): Promise<string | undefined> {
  const { once } = app.text;
  const given = call.args.prompt;
  if (given !== undefined) {
    if (given.trim() === '') throw new XzError('bad_input', once.noPrompt, { hint: once.noPromptHint });
    return given;
  }
  if (call.options.resume !== undefined || call.options.session !== undefined) return undefined;
  if (process.stdin.isTTY) throw new XzError('bad_input', once.noPrompt, { hint: once.noPromptHint });
  const text = await readAll(process.stdin, once.noInput, once.noPromptHint);
  if (text.trim() === '') throw new XzError('bad_input', once.noPrompt, { hint: once.noPromptHint });
  return text;
}

function readAll(stream: NodeJS.ReadStream, silent: string, hint: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => {
      stream.destroy();
      reject(new XzError('bad_input', silent, { hint }));
    }, FIRST_BYTE_MS);
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
