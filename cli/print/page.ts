// Pages of a list: the same shape for every `--json` list, the same two lines for people.
import { XzError } from '../../store/errors.ts';
import type { CommandCall } from '../table/command.ts';
import type { Text } from '../text/text.ts';
import type { Printer } from './printer.ts';

export interface Page<T> {
  readonly items: readonly T[];
  readonly page: number;
  readonly perPage: number;
  readonly total: number;
  readonly totalPages: number;
  readonly hasNext: boolean;
  readonly hasPrev: boolean;
}

/** One page of what is there; a limit of 0 means all. A page past the end is empty, not an error. */
export function pageOf<T>(all: readonly T[], limit: number, page: number): Page<T> {
  const perPage = limit === 0 ? Math.max(1, all.length) : limit;
  const start = (page - 1) * perPage;
  return pageFrom(all.slice(start, start + perPage), all.length, limit, page);
}

/** The page shape for items that were already cut to one page. */
export function pageFrom<T>(items: readonly T[], total: number, limit: number, page: number): Page<T> {
  const perPage = limit === 0 ? Math.max(1, total) : limit;
  const totalPages = Math.max(1, Math.ceil(total / perPage));
  return { items, page, perPage, total, totalPages, hasNext: page < totalPages, hasPrev: page > 1 };
}

/** `--max-cost` of `maxCost`. */
export function flagOf(option: string): string {
  return `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** A whole number of an option, or its default. Throws `bad_input` (exit 2) for anything else. */
export function wholeNumber(call: CommandCall, option: string, fallback: number, least = 0): number {
  const given = call.options[option];
  if (given === undefined) return fallback;
  const value = typeof given === 'string' && /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN;
  if (!Number.isInteger(value) || value < least) {
    const flag = flagOf(option);
    throw new XzError('bad_input', `${flag} "${given}" is not a whole number of at least ${least}`, {
      data: { kind: 'not_whole', option: flag, given, least },
    });
  }
  return value;
}

/** Prints a page: its JSON, or the person's lines and how to go on. */
export function printPage<T>(print: Printer, text: Text, page: Page<T>, line: (item: T) => string): void {
  printPageLines(print, text, page, () => page.items.map(line));
}

/**
 * Prints a page whose lines are made together, such as a table with its heading; they may hold colours of ours. `nothing`
 * is said of an empty list.
 */
export function printPageLines<T>(
  print: Printer,
  text: Text,
  page: Page<T>,
  lines: () => readonly string[],
  nothing = text.common.nothing,
): void {
  if (print.json) {
    print.value(page);
    return;
  }
  if (page.total === 0) {
    print.line(nothing);
    return;
  }
  for (const line of lines()) print.styled(line);
  if (page.totalPages > 1) {
    print.line(text.common.page(page.page, page.totalPages, page.total));
    if (page.hasNext) print.line(text.common.nextPage(page.page + 1));
  }
}

/** Where a page begins in the whole list; a limit of 0 has one page. */
export function pageOffset(limit: number, page: number): number {
  return limit === 0 ? (page > 1 ? Number.MAX_SAFE_INTEGER : 0) : (page - 1) * limit;
}
