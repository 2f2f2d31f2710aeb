// A theme's looks as terminal-kit's attributes and the escape sequences of their colours, at the depth a terminal has.
import terminalKit, { type Palette } from 'terminal-kit';
import type { Span } from './spans.ts';
import type { Colour, Theme } from './themes.ts';

export type ColourDepth = 'true' | '256' | '16';

/** How many colours the terminal says it has. */
export function colourDepth(env: Readonly<Record<string, string | undefined>>): ColourDepth {
  if (/truecolor|24bit/i.test(env.COLORTERM ?? '')) return 'true';
  return /256|kitty|alacritty|ghostty|wezterm/.test(env.TERM ?? '') ? '256' : '16';
}

export interface ColourTable {
  readonly palette: Palette;
  /** The attribute word of a span; undefined is an empty cell. */
  attr(span: Span | undefined): number;
}

/** The colours of one screen, numbered as they are first used. */
export function colourTable(theme: Theme, depth: ColourDepth): ColourTable {
  const foreground: string[] = [];
  const bgEscape: string[] = [];
  const indices = new Map<Colour, number>();
  const indexOf = (colour: Colour): number => {
    const known = indices.get(colour);
    if (known !== undefined) return known;
    const index = foreground.length;
    foreground.push(`\x1b[${sgr(colour, depth, false)}m`);
    bgEscape.push(`\x1b[${sgr(colour, depth, true)}m`);
    indices.set(colour, index);
    return index;
  };
  const known = new Map<string, number>();
  return {
    palette: { escape: foreground, bgEscape },
    attr(span) {
      const key = span === undefined ? '' : `${span.style}${span.bold ? 'b' : ''}${span.italic ? 'i' : ''}${span.strike ? 's' : ''}`;
      const made = known.get(key);
      if (made !== undefined) return made;
      const look = theme.styles[span?.style ?? 'text'];
      // A 16-colour terminal keeps its own background: none of its eight is charcoal.
      const background = look.background ?? (depth === '16' ? undefined : theme.background);
      const attr = terminalKit.ScreenBuffer.object2attr({
        ...(look.colour === undefined ? { defaultColor: true } : { color: indexOf(look.colour) }),
        ...(background === undefined ? { bgDefaultColor: true } : { bgColor: indexOf(background) }),
        bold: look.bold === true || span?.bold === true,
        dim: look.dim === true,
        inverse: look.inverse === true,
        underline: look.underline === true,
        italic: span?.italic === true,
        strike: span?.strike === true,
      });
      known.set(key, attr);
      return attr;
    },
  };
}

function sgr(colour: Colour, depth: ColourDepth, background: boolean): string {
  const [red, green, blue] = colour.rgb;
  if (depth === 'true') return `${background ? 48 : 38};2;${red};${green};${blue}`;
  if (depth === '256') return `${background ? 48 : 38};5;${colour.index}`;
  return String((background ? 40 : 30) + basicColour(red, green, blue));
}

/** The nearest of the eight basic colours: which channels are near the strongest one. */
function basicColour(red: number, green: number, blue: number): number {
  const most = Math.max(red, green, blue);
  if (most < 60) return 0;
  const near = (channel: number) => (channel > most * 0.7 ? 1 : 0);
  return near(red) | (near(green) << 1) | (near(blue) << 2);
}
