// One entry of a conversation as lines. Pure but for the remembered lines of texts that still stream.
import type { Text } from '../../text/text.ts';
import type { Entry, ToolEntry } from '../entries.ts';
import { bold, clipLine, indent, justify, type Line, type Span, span, wrapLine, wrapText } from '../spans.ts';
import { textWidth } from '../width.ts';
import { diffCounts, diffLines } from './diff.ts';
import { shortCount, shortMoment, shortTime } from './figures.ts';
import { markdownLines, streamedMarkdown } from './markdown.ts';

export interface EntryLook {
  readonly text: Text;
  readonly now: number;
  /** Name over the replies of this log. */
  readonly speaker: string;
  /** True for the entry that the conversation's focus is on. */
  readonly focused: boolean;
}

const DIFF_ROWS = 400;
const streaming = streamedMarkdown();

/** Lines of the entry and the blank line above it; none wider than `width`. */
export function entryLines(entry: Entry, previous: Entry | undefined, width: number, look: EntryLook): Line[] {
  const body = bodyLines(entry, Math.max(1, width), look);
  const lines = isAgents(entry) && (previous === undefined || !isAgents(previous)) ? [[bold(look.speaker, 'accent')], ...body] : body;
  return isTightAfter(entry, previous) ? lines : [[], ...lines];
}

/** Calls that follow each other stand together; everything else has air above it. */
function isTightAfter(entry: Entry, previous: Entry | undefined): boolean {
  if (previous === undefined) return false;
  const small = (one: Entry) => one.kind === 'tool' || (one.kind === 'thinking' && one.folded);
  return small(entry) && small(previous);
}

/** What the agent says and does, below one line with its name. */
function isAgents(entry: Entry): boolean {
  return entry.kind === 'reply' || entry.kind === 'tool' || entry.kind === 'thinking';
}

function bodyLines(entry: Entry, width: number, look: EntryLook): Line[] {
  const words = look.text.screen;
  switch (entry.kind) {
    case 'person':
      return [
        justify([span('◆ ', 'accent'), bold(words.you, 'accent')], [span(shortMoment(entry.at, look.now), 'dim')], width),
        ...wrapText(entry.text, width),
      ];
    case 'reply':
      return entry.open ? streaming.lines(entry.id, entry.text, width) : markdownLines(entry.text, width);
    case 'thinking':
      return thinkingLines(entry, width, look);
    case 'tool':
      return toolLines(entry, width, look);
    case 'wakeup':
      return [
        justify([span('⏰ ', 'accent'), bold(words.system, 'accent')], [span(shortMoment(entry.at, look.now), 'dim')], width),
        ...wrapText(entry.text, width),
      ];
    case 'mail':
      return mailLines(entry, width, look.text);
    case 'merge':
      return mergeLines(entry, width, look.text);
    case 'team':
      return marked('⇄', 'accent', wrapText(entry.text, Math.max(1, width - 2)), width);
    case 'question': {
      const verdict = words.question[entry.status];
      const style = entry.status === 'allowed' ? 'good' : 'bad';
      const line: Line = [
        span(`${words.question.asks(entry.question.agent)}  `, 'dim'),
        span(`${entry.question.tool}: ${entry.question.summary}  `),
        span(verdict, style),
      ];
      return marked('?', 'accent', wrapLine(line, Math.max(1, width - 2)), width);
    }
    case 'notice': {
      const style = entry.tone === 'error' ? 'bad' : entry.tone === 'warn' ? 'warn' : 'dim';
      const hint = entry.hint === undefined ? [] : wrapText(entry.hint, Math.max(1, width - 2), 'dim');
      return marked(entry.tone === 'info' ? '·' : '!', style, [...wrapText(entry.text, Math.max(1, width - 2), style), ...hint], width);
    }
    case 'output':
      return [[span(entry.command, 'dim')], ...markdownLines(entry.text, width)];
    case 'stopped':
      return marked('■', 'warn', wrapText(words.stopped[entry.reason] ?? entry.reason, Math.max(1, width - 2), 'warn'), width);
  }
}

/** Lines behind a mark of two columns. */
function marked(mark: string, style: Span['style'], lines: readonly Line[], width: number): Line[] {
  return width < 4 ? [...lines] : indent(lines, 2, [span(`${mark} `, style)]);
}

function thinkingLines(entry: Extract<Entry, { kind: 'thinking' }>, width: number, look: EntryLook): Line[] {
  const words = look.text.screen;
  const count = entry.text.split('\n').length;
  const arrow = entry.folded ? '▸' : '▾';
  const title = entry.open ? `${words.thinking}…` : words.thought(count);
  const head = clipLine([span(`${arrow} ${title}`, look.focused ? 'selected' : 'dim')], width);
  return entry.folded ? [head] : [head, ...wrapText(entry.text.trim(), Math.max(1, width - 2), 'dim').map((line) => [span('  '), ...line])];
}

function toolLines(entry: ToolEntry, width: number, look: EntryLook): Line[] {
  const words = look.text.screen;
  const head = toolHead(entry, width, look);
  if (entry.folded || entry.state === 'running') return [head];
  const inner = Math.max(1, width - 2);
  const body =
    entry.diff !== undefined && entry.diff !== ''
      ? diffLines(entry.diff, inner, DIFF_ROWS, words.moreLines)
      : wrapText(entry.preview.replace(/\n+$/, ''), inner, 'dim');
  const shown = entry.preview.split('\n').length;
  const rest: Line[] = entry.diff === undefined && entry.lines > shown ? [[span(words.moreLines(entry.lines - shown), 'dim')]] : [];
  return [head, ...[...body, ...rest].map((line): Line => (width < 4 ? line : [span('  '), ...line]))];
}

function toolHead(entry: ToolEntry, width: number, look: EntryLook): Line {
  const words = look.text.screen;
  const verdict: Span[] =
    entry.state === 'running'
      ? [span(`… ${shortTime(look.now - entry.at)}`, 'accent')]
      : entry.state === 'ok'
        ? [span('✓', 'good')]
        : entry.state === 'cut'
          ? [span(`■ ${words.cut}`, 'warn')]
          : [span(`✗ ${entry.exitCode === undefined ? words.failed : words.exit(entry.exitCode)}`, 'bad')];
  if (entry.state === 'ok' && entry.diff !== undefined && entry.diff !== '') {
    const { added, removed } = diffCounts(entry.diff);
    verdict.push(span(` +${added}`, 'good'), span(` −${removed}`, 'bad'));
  }
  if (entry.ms >= 1_000) verdict.push(span(`  ${shortTime(entry.ms)}`, 'dim'));
  if (entry.state !== 'running' && entry.lines > 1) verdict.push(span(`  ${entry.folded ? '▸' : '▾'} ${words.lines(entry.lines)}`, 'dim'));
  const room = width - verdict.reduce((sum, part) => sum + textWidth(part.text), 0) - 2;
  const call: Line = [
    span('⚙ ', look.focused ? 'selected' : 'accent'),
    span(entry.name, look.focused ? 'selected' : 'text'),
    span(`(${callSummary(entry.name, entry.args)})`, 'dim'),
  ];
  return clipLine([...clipLine(call, Math.max(4, room)), span('  '), ...verdict], width);
}

/** The arguments of a call in one line: the one that matters alone, else `name: value`. */
export function callSummary(name: string, args: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(args).filter(([, value]) => value !== undefined && value !== '');
  const main = name === 'bash' ? args.command : (args.path ?? args.pattern ?? args.query ?? args.url);
  if (typeof main === 'string' && (name === 'bash' || entries.length <= 2 || 'content' in args || 'old_text' in args)) return oneLine(main);
  return entries.map(([key, value]) => (value === true ? key : `${key}: ${oneLine(asText(value))}`)).join(', ');
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

const LONGEST_ARGUMENT = 300;

function oneLine(text: string): string {
  return text.slice(0, LONGEST_ARGUMENT).replace(/\s+/g, ' ').trim();
}

function mailLines(entry: Extract<Entry, { kind: 'mail' }>, width: number, text: Text): Line[] {
  const words = text.screen;
  const inner = Math.max(1, width - 2);
  const { about, claim } = mailParts(entry);
  const lines = wrapLine([span(`${entry.from} → ${entry.to}`, 'accent'), span(`   ${entry.mailType}: `, 'dim'), span(about)], inner);
  const wide = Math.max(textWidth(words.claimed), textWidth(words.observed)) + 3;
  const fact = (name: string, value: string) =>
    inner <= wide + 8
      ? wrapLine([span(`${name} `, 'dim'), span(value)], inner)
      : indent(wrapText(value, inner - wide), wide, [span(name.padEnd(wide - (textWidth(name) - name.length)), 'dim')]);
  if (claim !== undefined) lines.push(...fact(words.claimed, `"${claim}"`));
  if (entry.evidence !== undefined) lines.push(...fact(words.observed, observed(entry.evidence, text)));
  return marked('⇄', 'accent', lines, width);
}

/** What a mail is about, in one line, and what a result claims; other mail claims nothing, it says something. */
export function mailParts({ mailType, subject, claim }: Pick<Extract<Entry, { kind: 'mail' }>, 'mailType' | 'subject' | 'claim'>): {
  readonly about: string;
  readonly claim: string | undefined;
} {
  const body = claim === undefined ? undefined : oneLine(claim);
  if (mailType === 'result') return { about: subject, claim: body };
  return { about: [subject, body ?? ''].filter((part) => part !== '').join(' · '), claim: undefined };
}

/** What was seen of a teammate's work, in one line. */
export function observed(evidence: NonNullable<Extract<Entry, { kind: 'mail' }>['evidence']>, text: Text): string {
  const words = text.screen;
  const last = evidence.commands.at(-1);
  const parts = [
    last === undefined ? '' : `${oneLine(last.command)} ${last.exitCode === null ? words.cut : words.exit(last.exitCode)}`,
    evidence.tests.at(-1) ?? '',
    evidence.diffstat || (evidence.files.length === 0 ? '' : words.inFiles(evidence.files.length)),
    words.tokens(shortCount(evidence.tokens)),
    shortTime(evidence.seconds * 1_000),
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

function mergeLines(entry: Extract<Entry, { kind: 'merge' }>, width: number, text: Text): Line[] {
  const words = text.screen;
  const style = entry.outcome === 'merged' ? 'good' : entry.outcome === 'queued' || entry.outcome === 'nothing' ? 'dim' : 'bad';
  const line: Line = [
    span(`merge ${entry.name} → main   `, 'accent'),
    span(entry.gate === '' ? '' : `${words.gate(entry.gate)}, `, 'dim'),
    span(words.merge[entry.outcome] ?? entry.outcome, style),
    span(entry.detail === '' ? '' : ` ${entry.outcome === 'merged' ? entry.detail.slice(0, 12) : entry.detail}`, 'dim'),
  ];
  return marked('⇄', 'accent', wrapLine(line, Math.max(1, width - 2)), width);
}
