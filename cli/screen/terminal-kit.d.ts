// The part of terminal-kit that the screen draws with. The published types leave out the cell-level methods, which is
// where text must go: the library's own `put` measures some characters otherwise than terminals do.
declare module 'terminal-kit' {
  export interface TerminalOptions {
    readonly stdin: object;
    readonly stdout: object;
    readonly stderr: object;
    readonly generic: string;
    readonly isTTY: boolean;
    readonly isSSH: boolean;
    readonly processSigwinch: boolean;
    readonly preferProcessSigwinch: boolean;
  }
  export interface Terminal {
    width: number;
    height: number;
    /** True ends its own clean-up at exit. */
    shutdown: boolean;
    readonly support: { deltaEscapeSequence: boolean };
  }
  export interface Palette {
    readonly escape: readonly string[];
    readonly bgEscape: readonly string[];
  }
  export interface Attributes {
    color?: number;
    bgColor?: number;
    defaultColor?: boolean;
    bgDefaultColor?: boolean;
    bold?: boolean;
    dim?: boolean;
    italic?: boolean;
    underline?: boolean;
    inverse?: boolean;
    strike?: boolean;
  }
  export class ScreenBuffer {
    constructor(options: { dst: Terminal; width: number; height: number; x: number; y: number; palette: Palette; noFill?: boolean });
    readonly width: number;
    readonly height: number;
    readonly buffer: Buffer;
    /** What the terminal shows, as far as the delta drawing knows; null before the first draw. */
    readonly lastBuffer: Buffer | null;
    readonly ITEM_SIZE: number;
    readonly ATTR_SIZE: number;
    readonly LEADING_FULLWIDTH: number;
    readonly TRAILING_FULLWIDTH: number;
    static object2attr(attributes: Attributes): number;
    writeAttr(buffer: Buffer, attr: number, at: number, fullWidth?: number): void;
    writeChar(buffer: Buffer, char: string, at: number): void;
    readChar(buffer: Buffer, at: number): string;
    draw(options: { delta: boolean; srcClipRect?: { x: number; y: number; width: number; height: number } }): {
      cells: number;
      moves: number;
      attrs: number;
      writes: number;
    };
  }
  const terminalKit: {
    createTerminal(options: TerminalOptions): Terminal;
    ScreenBuffer: typeof ScreenBuffer;
  };
  export default terminalKit;
}
