// Bytes from a terminal to keys, whatever the pieces they arrive in: sequences split between reads, pastes of any size
// with lost end markers, mouse reports. Pure: the caller owns the timer that says a lone Escape was meant.
import { StringDecoder } from 'node:string_decoder';

export type Input =
  | { readonly type: 'text'; readonly text: string }
  /** A named key such as `enter`, `ctrl+c`, `alt+left`, `shift+tab`. */
  | { readonly type: 'key'; readonly name: string }
  | { readonly type: 'paste'; readonly text: string }
  /** The terminal's answer to a question for the cursor's place, both from 1. */
  | { readonly type: 'cursor'; readonly row: number; readonly column: number }
  | { readonly type: 'wheel'; readonly up: boolean }
  | { readonly type: 'click'; readonly x: number; readonly y: number };

/** A started escape sequence may come in pieces over a slow line; after this long it is what it looks like. */
const SEQUENCE_WAIT_MS = 150;
/** A paste whose end marker does not come is over when nothing came for this long. */
const PASTE_WAIT_MS = 1_000;
/** Pieces of a paste from a terminal without markers follow each other faster than this. */
const LOOSE_PASTE_WAIT_MS = 40;

const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';
const MOUSE = /^\x1b\[<(\d+);(\d+);(\d+)([Mm])$/;
/** A cursor's place. In the first row it would look like F3 with a modifier: nobody asks there. */
const CURSOR = /^\x1b\[([2-9]|\d\d+);(\d+)R$/;
/** A whole sequence at the start of the text, of one of the forms that terminals send. */
const WHOLE = /^\x1b(?:\x1b?\[\[[A-E]|\x1b?\[[0-?]*[ -/]*[@-~]|\x1b?O[ -~])/;
/** The start of a sequence that may still grow. */
const PARTIAL = /^\x1b(?:\x1b?(?:\[\[?[0-?]*[ -/]*|O)?)?$/;

const CSI_LETTERS: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  Z: 'shift+tab',
  M: 'enter',
  P: 'f1',
  Q: 'f2',
  R: 'f3',
  S: 'f4',
};
const CSI_NUMBERS: Readonly<Record<number, string>> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
  11: 'f1',
  12: 'f2',
  13: 'f3',
  14: 'f4',
  15: 'f5',
};
/** Codes of the `CSI u` form that are keys and not letters. */
const CODES: Readonly<Record<number, string>> = { 9: 'tab', 13: 'enter', 27: 'escape', 127: 'backspace' };

export interface KeyDecoder {
  /** What the bytes say so far. */
  feed(bytes: Uint8Array): Input[];
  /** How long the caller should wait for more before calling `flush`; undefined when nothing is pending. */
  waitMs(): number | undefined;
  /** Nothing more came: what is pending is taken as it stands. */
  flush(): Input[];
}

/** A decoder for one terminal. */
export function keyDecoder(): KeyDecoder {
  const utf8 = new StringDecoder('utf8');
  let pending = '';
  let paste: string[] | undefined;
  /** The last bytes of the paste so far: the end marker may be split over them. */
  let tail = '';
  /** A paste without markers, as far as it came. */
  let loose: string | undefined;

  const takePaste = (out: Input[], text: string): string => {
    const joined = tail + text;
    const end = joined.indexOf(PASTE_END);
    if (end === -1) {
      const keep = Math.min(joined.length, PASTE_END.length - 1);
      paste?.push(joined.slice(0, joined.length - keep));
      tail = joined.slice(joined.length - keep);
      return '';
    }
    paste?.push(joined.slice(0, end));
    endPaste(out);
    return joined.slice(end + PASTE_END.length);
  };
  const endPaste = (out: Input[]) => {
    out.push({ type: 'paste', text: (paste ?? []).join('').replace(/\r\n?/g, '\n') });
    paste = undefined;
    tail = '';
  };
  const decode = (text: string, final: boolean): Input[] => {
    const out: Input[] = [];
    let rest = text;
    while (rest !== '') {
      if (paste !== undefined) {
        rest = takePaste(out, rest);
        continue;
      }
      if (rest.startsWith(PASTE_START)) {
        paste = [];
        rest = rest.slice(PASTE_START.length);
        continue;
      }
      if (rest[0] !== '\x1b') {
        rest = takeText(out, rest);
        continue;
      }
      const whole = WHOLE.exec(rest);
      if (whole === null && !final && PARTIAL.test(rest)) {
        pending = rest;
        return out;
      }
      const length = whole?.[0].length ?? loneEscape(rest, final);
      const input = sequenceInput(rest.slice(0, length));
      if (input !== undefined) out.push(input);
      rest = rest.slice(length);
    }
    return out;
  };
  return {
    feed(bytes) {
      const text = pending + utf8.write(Buffer.from(bytes));
      pending = '';
      if (loose !== undefined || (paste === undefined && looksPasted(text))) {
        loose = (loose ?? '') + text;
        return [];
      }
      return decode(text, false);
    },
    waitMs() {
      if (loose !== undefined) return LOOSE_PASTE_WAIT_MS;
      return paste !== undefined ? PASTE_WAIT_MS : pending !== '' ? SEQUENCE_WAIT_MS : undefined;
    },
    flush() {
      const out: Input[] = [];
      if (loose !== undefined) {
        out.push({ type: 'paste', text: loose.replace(/\r\n?/g, '\n') });
        loose = undefined;
      }
      if (paste !== undefined) {
        paste.push(tail);
        endPaste(out);
      }
      const text = pending;
      pending = '';
      return [...out, ...decode(text, true)];
    },
  };
}

/** Nobody types a hundred characters over several lines, or four lines at all, between two reads. */
function looksPasted(text: string): boolean {
  if (text.includes('\x1b')) return false;
  const inner = text.replace(/[\r\n]+$/, '').split(/\r\n?|\n/).length - 1;
  return inner >= 3 || (inner >= 1 && text.length >= 100);
}

/** Letters up to the next control or escape as one input; a control as its key. */
function takeText(out: Input[], text: string): string {
  const run = /^[^\x00-\x1f\x7f]+/.exec(text)?.[0];
  if (run !== undefined) {
    out.push({ type: 'text', text: run });
    return text.slice(run.length);
  }
  const name = controlName(text.charCodeAt(0));
  if (name !== undefined) out.push({ type: 'key', name });
  return text.slice(1);
}

function controlName(code: number): string | undefined {
  switch (code) {
    case 0x00:
      return 'ctrl+space';
    case 0x08:
    case 0x7f:
      return 'backspace';
    case 0x09:
      return 'tab';
    case 0x0a:
      return 'ctrl+j';
    case 0x0d:
      return 'enter';
    case 0x1f:
      return 'ctrl+_';
    default:
      return code < 0x1b ? `ctrl+${String.fromCharCode(code + 0x60)}` : undefined;
  }
}

/** An escape that begins no sequence: with the next character it is that key with Alt, alone it is Escape. */
function loneEscape(text: string, final: boolean): number {
  if (final && PARTIAL.test(text)) {
    // `ESC [` with nothing after it is no key a person can name: it is dropped as a whole.
    return text === '\x1b\x1b' ? 1 : text.length;
  }
  const next = text.codePointAt(1);
  return next === undefined || next === 0x1b ? 1 : 1 + String.fromCodePoint(next).length;
}

function sequenceInput(sequence: string): Input | undefined {
  if (sequence === '\x1b') return { type: 'key', name: 'escape' };
  const mouse = MOUSE.exec(sequence);
  if (mouse !== null) return mouseInput(Number(mouse[1]), Number(mouse[2]), Number(mouse[3]), mouse[4] === 'M');
  const cursor = CURSOR.exec(sequence);
  if (cursor !== null) return { type: 'cursor', row: Number(cursor[1]), column: Number(cursor[2]) };
  const body = sequence.startsWith('\x1b\x1b') ? sequence.slice(1) : sequence;
  const alt = body !== sequence;
  if (body.startsWith('\x1b[') || (body.startsWith('\x1bO') && body.length > 2)) {
    const name = sequenceName(body);
    return name === undefined ? undefined : { type: 'key', name: alt && !name.startsWith('alt+') ? `alt+${name}` : name };
  }
  const char = body.slice(1);
  if (char === '' || char === '[' || char === 'O') return undefined;
  const control = char.length === 1 && (char < ' ' || char === '\x7f') ? controlName(char.charCodeAt(0)) : undefined;
  return { type: 'key', name: `alt+${control ?? char.toLowerCase()}` };
}

function mouseInput(button: number, x: number, y: number, pressed: boolean): Input | undefined {
  if ((button & 64) !== 0) return (button & 2) !== 0 ? undefined : { type: 'wheel', up: (button & 1) === 0 };
  return pressed && (button & 0b100011) === 0 ? { type: 'click', x, y } : undefined;
}

function sequenceName(sequence: string): string | undefined {
  const parts = /^\x1b(?:\[|O)(\d*)(?:;(\d+))?(?:;(\d+))?([~A-Za-z])$/.exec(sequence);
  if (parts === null) return undefined;
  const [, first = '', second, third, letter = ''] = parts;
  if (letter === 'u') return withModifiers(codeName(Number(first)), Number(second ?? 1));
  if (letter === '~' && first === '27') return withModifiers(codeName(Number(third)), Number(second ?? 1));
  const name = letter === '~' ? CSI_NUMBERS[Number(first)] : CSI_LETTERS[letter];
  return name === undefined ? undefined : withModifiers(name, Number(second ?? 1));
}

function codeName(code: number): string | undefined {
  return CODES[code] ?? (code > 0x20 && code < 0x110000 ? String.fromCodePoint(code) : undefined);
}

/** Modifiers as xterm counts them: one more than the sum of shift 1, alt 2, ctrl 4. */
function withModifiers(name: string | undefined, modifiers: number): string | undefined {
  if (name === undefined) return undefined;
  const bits = Math.max(0, modifiers - 1);
  return `${bits & 4 ? 'ctrl+' : ''}${bits & 2 ? 'alt+' : ''}${bits & 1 && !name.startsWith('shift+') ? 'shift+' : ''}${name}`;
}
