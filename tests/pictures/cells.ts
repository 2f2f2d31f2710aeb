// What a terminal shows, as cells: text with colour sequences (`tmux capture-pane -e`) read back. Pure.
import { cellsOf } from '../../cli/screen/width.ts';

export interface Look {
  /** Colours as `#rrggbb`; undefined is the terminal's own. */
  readonly colour?: string | undefined;
  readonly background?: string | undefined;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly inverse?: boolean;
  readonly strike?: boolean;
}

export interface PaintedCell {
  readonly text: string;
  readonly width: 1 | 2;
  readonly look: Look;
}

/** The rows of a captured screen. Looks go on from one row to the next, as the terminal's do. */
export function paintedRows(captured: string): PaintedCell[][] {
  let look: Look = {};
  return captured.split('\n').map((row) => {
    const cells: PaintedCell[] = [];
    row.split(/\x1b\[([\d;]*)m/).forEach((piece, index) => {
      if (index % 2 === 1) look = changed(look, piece.split(';').map(Number));
      else for (const { text, width } of cellsOf(piece)) cells.push({ text, width, look });
    });
    return cells;
  });
}

const SWITCHES: Readonly<Record<number, Look>> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  9: { strike: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  29: { strike: false },
  39: { colour: undefined },
  49: { background: undefined },
};

function changed(look: Look, codes: readonly number[]): Look {
  let next = look;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    if (code === 0) next = {};
    else if (code === 38 || code === 48) {
      if (codes[at + 1] !== 2) throw new Error(`a colour that is not 24 bit: ${codes.join(';')}`);
      const hex = `#${codes
        .slice(at + 2, at + 5)
        .map((channel) => channel.toString(16).padStart(2, '0'))
        .join('')}`;
      next = code === 38 ? { ...next, colour: hex } : { ...next, background: hex };
      at += 4;
    } else {
      const change = SWITCHES[code];
      if (change === undefined) throw new Error(`an unknown look: ${codes.join(';')}`);
      next = { ...next, ...change };
    }
  }
  return next;
}
