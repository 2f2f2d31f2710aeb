// What a person would have seen: control codes are taken out, a progress line that was drawn over itself is left as it
// looked last. So nothing that a command prints can move the cursor, set a title or ring a bell later on.

import { toUSVString } from 'node:util';

/** Control sequences after ECMA-48: CSI, the string kinds (OSC, DCS, SOS, PM, APC) and two-character escapes; ESC [ K is kept for `redraw`. */
const SEQUENCES =
  /(?:\u001b\[|\u009b)(?![0-2]?K)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-Z\\^-~]/g;
const ERASE_LINE = /(?:\u001b\[|\u009b)([0-2]?)K/y;
/** What is left of control characters: all but tab and newline, and the bidirectional overrides that make text lie. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** The visible text, in valid Unicode. */
export function visibleText(text: string): string {
  const whole = toUSVString(text);
  if (!/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(whole)) return whole;
  return whole
    .replace(SEQUENCES, '')
    .split('\n')
    .map((line) => redraw(line).replace(CONTROLS, ''))
    .join('\n');
}

/** One line as it looks after its carriage returns, backspaces and erasures. */
function redraw(line: string): string {
  const ended = line.endsWith('\r') ? line.replace(/\r+$/, '') : line;
  if (!/[\r\b\u001b\u009b]/.test(ended)) return ended;
  let cells: string[] = [];
  let at = 0;
  for (let index = 0; index < ended.length; ) {
    ERASE_LINE.lastIndex = index;
    const erase = ERASE_LINE.exec(ended);
    if (erase !== null) {
      if (erase[1] === '2') cells = cells.fill(' ');
      else if (erase[1] === '1') cells.fill(' ', 0, at);
      else cells.length = Math.min(cells.length, at);
      index += erase[0].length;
      continue;
    }
    const char = String.fromCodePoint(ended.codePointAt(index) ?? 0);
    index += char.length;
    if (char === '\r') at = 0;
    else if (char === '\b') at = Math.max(0, at - 1);
    else cells[at++] = char;
  }
  return cells.join('').trimEnd();
}
