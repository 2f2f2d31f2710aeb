// Permission rules such as `bash(git status*)` or `write_file(src/*)`: a tool's name and a pattern for its subject (the
// command, the path, the address). `*` stands for any text; a final ` *` also matches nothing, so `ls *` allows `ls`.

export interface Rule {
  readonly tool: string;
  /** Undefined: every call of the tool. */
  readonly pattern: string | undefined;
}

const RULE = /^\s*([a-z][a-z0-9_]*)\s*(?:\(([\s\S]*)\))?\s*$/;

/** The rule that a text says, or undefined when it is none. */
export function parseRule(text: string): Rule | undefined {
  const found = RULE.exec(text);
  const tool = found?.[1];
  return tool === undefined ? undefined : { tool, pattern: found?.[2] };
}

/** The text of a rule. */
export function ruleText(tool: string, pattern?: string): string {
  return pattern === undefined ? tool : `${tool}(${pattern})`;
}

/** True when the rules name this tool with a pattern that one of the subjects fits. */
export function matchesAny(rules: readonly string[], tool: string, subjects: readonly string[]): boolean {
  return rules.some((text) => {
    const rule = parseRule(text);
    if (rule === undefined || rule.tool !== tool) return false;
    const { pattern } = rule;
    return pattern === undefined || subjects.some((subject) => fits(pattern, subject));
  });
}

/** True when a rule allows the whole text: it names no pattern, is `*`, or says the text word for word. */
export function namesExactly(rules: readonly string[], tool: string, text: string): boolean {
  return rules.some((item) => {
    const rule = parseRule(item);
    return rule?.tool === tool && (rule.pattern === undefined || rule.pattern === '*' || rule.pattern === literal(text));
  });
}

/** A text as a pattern that fits only itself. */
export function literal(text: string): string {
  return text.replace(/[*\\]/g, '\\$&');
}

/** Wildcard matching in linear time: after each `*` the earliest place for the next piece is always good enough. */
export function fits(pattern: string, subject: string): boolean {
  if (pattern.endsWith(' *') && fits(pattern.slice(0, -2), subject)) return true;
  const pieces = piecesOf(pattern);
  const first = pieces[0] ?? '';
  const last = pieces.at(-1) ?? '';
  if (pieces.length === 1) return subject === first;
  if (!subject.startsWith(first)) return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const next = subject.indexOf(piece, at);
    if (next < 0) return false;
    at = next + piece.length;
  }
  return subject.length - last.length >= at && subject.endsWith(last);
}

/**
 * Which names a shell could put in for one segment of a path. Rather too many than too few: brackets and `?` count as `*`,
 * so that neither the locale nor a shell's options find a name that is not meant here.
 */
export function shellTest(segment: string): (name: string) => boolean {
  const wild = segment
    .replace(/\[[\s\S]*$/, '*')
    .split(/[*?]+/)
    .map(literal)
    .join('*');
  const hidden = segment.startsWith('.');
  return (name) => name.startsWith('.') === hidden && fits(wild, name);
}

/** The literal pieces between the stars; a backslash takes its meaning from a star or a backslash. */
function piecesOf(pattern: string): string[] {
  const pieces = [''];
  for (const [token] of pattern.matchAll(/\\[*\\]|[\s\S]/gu)) {
    if (token === '*') pieces.push('');
    else pieces[pieces.length - 1] += token.length === 2 && token.startsWith('\\') ? token.slice(1) : token;
  }
  return pieces;
}
