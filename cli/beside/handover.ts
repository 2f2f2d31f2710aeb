// Living beside xz-utils: tar and others run a program called `xz` and mean the compressor. This decides, before anything
// else is loaded, whether these arguments are for it. Rules: README, "Beside xz-utils". Option names: xz(1) of 5.4.
import { basename } from 'node:path';

/** What the first look at the command line sees. */
export interface FirstLook {
  readonly args: readonly string[];
  readonly stdinIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
  /** True inside a shell that a tool of ours started. */
  readonly inToolShell: boolean;
  /** Our own command words. */
  readonly commands: ReadonlySet<string>;
  /** True when a file of that name is there. */
  readonly fileExists: (name: string) => boolean;
}

export type Verdict =
  | { readonly kind: 'ours' }
  | { readonly kind: 'compressor' }
  /** A bare file name typed at a terminal: compressing would delete it, so the person is asked to say it in full. */
  | { readonly kind: 'hint'; readonly file: string };

/** Our long options that take a value, so that the word after one is not mistaken for a command or a file. */
const OWN_WITH_VALUE = new Set(['--workspace', '--provider', '--model', '--base-url', '--api-key', '--mode', '--lang', '--resume']);
const OWN_FLAGS = new Set([
  '--use-oauth',
  '--team',
  '--no-color',
  '--json',
  '--repl',
  '--demo',
  '--tui',
  '--daemon',
  '--all',
  '--help',
  '--version',
]);
/** `-v` and `-h` are ours when they stand alone; in company (`-vd`, `-vk`) they are the compressor's. */
const OWN_SHORT = new Set(['-h', '-v']);
const COMPRESSOR_SHORT = /^-[zdtlkfcqvHVQMTSFCe0-9]/;
const COMPRESSOR_LONG =
  /^--(compress|(un|de)compress|test|list|keep|force|(to-)?stdout|no-sparse|single-stream|suffix|files0?|format|check|ignore-check|fast|best|extreme|threads|block-(size|list)|flush-timeout|mem(limit(-(de)?compress|-mt-decompress)?|ory)|no-adjust|filters?|lzma[12]|(x86|arm|arm64|armthumb|ia64|powerpc|sparc|riscv|delta)|quiet|verbose|no-warn|robot|info-memory|long-help)(=|$)/;

/** Decides whose command line this is. */
export function firstLook(look: FirstLook): Verdict {
  const positional: string[] = [];
  let sawOwnOption = false;
  for (let i = 0; i < look.args.length; i++) {
    const arg = look.args[i] ?? '';
    if (positional.length === 0 && look.commands.has(arg)) return { kind: 'ours' };
    if (arg === '--') {
      positional.push(...look.args.slice(i + 1));
      break;
    }
    const [name = arg] = arg.split('=', 1);
    if (OWN_WITH_VALUE.has(name)) {
      sawOwnOption = true;
      if (name === arg) i++;
    } else if (OWN_FLAGS.has(name) || OWN_SHORT.has(arg)) sawOwnOption = true;
    else if (COMPRESSOR_LONG.test(arg) || (COMPRESSOR_SHORT.test(arg) && !sawOwnOption)) return { kind: 'compressor' };
    else if (arg === '-' || !arg.startsWith('-')) positional.push(arg);
  }
  const version = look.args.length === 1 && ['-v', '--version', '-h', '--help'].includes(look.args[0] ?? '');
  if (look.inToolShell) return version ? { kind: 'ours' } : { kind: 'compressor' };
  const noTerminal = !look.stdinIsTerminal && !look.stdoutIsTerminal;
  if (look.args.length === 0) return noTerminal ? { kind: 'compressor' } : { kind: 'ours' };
  const file = positional.find((word) => word === '-' || look.fileExists(word) || looksLikeFile(word));
  if (file === undefined) return { kind: 'ours' };
  return noTerminal ? { kind: 'compressor' } : { kind: 'hint', file };
}

/** A name with a folder or an ending is a file's, also when there is none: the compressor then says so itself. */
function looksLikeFile(word: string): boolean {
  return word.includes('/') || /\.[A-Za-z0-9]{1,8}$/.test(basename(word));
}
