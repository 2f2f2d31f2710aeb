// Where a key stands in a TOML text. Only asked for when a message or a listing names a line, so start-up never scans.

/** The 1-based line on which the key (its parts, unquoted) is set, else where its table begins; undefined when neither is there. */
export function lineOfKey(text: string, path: readonly string[]): number | undefined {
  let table: readonly string[] = [];
  let nearest: number | undefined;
  let openString: string | undefined;
  let depth = 0;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const at = index + 1;
    if (openString === undefined && depth === 0) {
      const header = /^\s*\[\[?(?<key>[^\]]*(?:\]"[^\]]*)*)\]\]?/.exec(line)?.groups?.key;
      if (header !== undefined) {
        table = keyParts(header)?.parts ?? [];
        if (startsWith(path, table)) nearest = at;
        continue;
      }
      const own = keyParts(line);
      if (own !== undefined && /^\s*=/.test(line.slice(own.end))) {
        const full = [...table, ...own.parts];
        // A shorter match is an inline table that holds the key.
        if (startsWith(path, full)) return at;
        // A longer one (`[models.k2]`, `a.b.c = 1`) proves the table is here.
        if (startsWith(full, path)) nearest ??= at;
      }
    }
    ({ openString, depth } = scan(line, openString, depth));
  }
  return nearest;
}

/** The key that a line sets, if it has the look of one: for messages about lines that do not parse. */
export function keyOnLine(text: string, line: number): string | undefined {
  const lines = text.split(/\r?\n/);
  const own = keyParts(lines[line - 1] ?? '');
  if (own === undefined || own.parts.length === 0) return undefined;
  for (let at = line - 2; at >= 0; at--) {
    const header = /^\s*\[(?<key>[^[\]]+)\]/.exec(lines[at] ?? '')?.groups?.key;
    if (header !== undefined) return [...(keyParts(header)?.parts ?? []), ...own.parts].join('.');
  }
  return own.parts.join('.');
}

function startsWith(path: readonly string[], prefix: readonly string[]): boolean {
  return prefix.length <= path.length && prefix.every((part, index) => path[index] === part);
}

function keyParts(text: string): { readonly parts: string[]; readonly end: number } | undefined {
  const part = /\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*/y;
  const parts: string[] = [];
  let end = 0;
  for (;;) {
    part.lastIndex = end;
    const found = part.exec(text);
    if (found === null) return undefined;
    parts.push(found[1] ?? found[2] ?? found[3] ?? '');
    end = part.lastIndex;
    if (text[end] !== '.') return { parts, end };
    end++;
  }
}

/** Follows strings and brackets over one line, so that text inside a multi-line value is not taken for a key. */
function scan(line: string, openString: string | undefined, depth: number): { openString: string | undefined; depth: number } {
  let open = openString;
  let level = depth;
  for (let at = 0; at < line.length; at++) {
    const three = line.slice(at, at + 3);
    const char = line[at];
    if (open !== undefined) {
      if (char === '\\' && open.startsWith('"')) at++;
      else if (line.startsWith(open, at)) {
        at += open.length - 1;
        open = undefined;
      }
    } else if (three === '"""' || three === "'''") {
      open = three;
      at += 2;
    } else if (char === '"' || char === "'") open = char;
    else if (char === '#') break;
    else if (char === '[' || char === '{') level++;
    else if (char === ']' || char === '}') level = Math.max(0, level - 1);
  }
  return { openString: open !== undefined && open.length === 3 ? open : undefined, depth: level };
}
