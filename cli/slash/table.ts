// Markdown tables of what slash commands show.

/** A Markdown table; bars and line ends in cells are made harmless. */
export function markdownTable(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const row = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replace(/\s+/g, ' ').replaceAll('|', '\\|')).join(' | ')} |`;
  return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
}
