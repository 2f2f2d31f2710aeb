// Bash runs what stands in the value of a variable when it counts with it: with x='a[$(rm y)]' an innocent `$((x))` removes
// y. So a script that counts with values which are not plainly known may run anything.
import type { SyntaxNode, Word } from 'unbash';

export interface Evaluation {
  /** A variable is counted with, or is part of an index. */
  counts: boolean;
  /** A variable was given a value that is no plain word or number. */
  opaque: boolean;
  /** A value is run whatever it is: `${x@P}`, `${!x}`. */
  always: boolean;
}

const COMPARES = /^-(eq|ne|lt|le|gt|ge)$/;
const READERS = new Set(['read', 'mapfile', 'readarray', 'getopts', 'source', '.']);

/** Notes what one node adds; its children are nodes of their own. */
export function noteEvaluation(node: SyntaxNode, found: Evaluation): void {
  const counted = (text: string): void => {
    if (/[A-Za-z_$`]/.test(text)) found.counts = true;
    if (/['"\\]|\$\{?[\d@*]/.test(text)) found.always = true;
  };
  if (node.type === 'ArithmeticWord') counted(node.value);
  if (node.type === 'ArithmeticExpansion' && node.expression === undefined) counted(node.text);
  if (node.type === 'TestBinary' && COMPARES.test(node.operator))
    for (const { text } of [node.left, node.right]) counted(text.replace(/^"(\$\{?\w+\}?)"$/, '$1'));
  if (node.type === 'TestUnary' && node.operator === '-v' && !/^\w+$/.test(node.operand.text)) found.always = true;
  if (node.type === 'ParameterExpansion') {
    const { operation, prefix, index } = node;
    if (prefix === '!' || operation?.type === 'Transform') found.always = true;
    if (index !== undefined && !/^[@*]$/.test(index.text)) counted(index.text);
    if (operation?.type === 'Slice') counted(`${operation.offset.text} ${operation.length?.text ?? ''}`);
  }
  if (node.type === 'Assignment') {
    if (node.index !== undefined) counted(node.index.text);
    const values = node.value.type === 'Word' ? [node.value] : node.value.elements;
    if (!values.every((item) => item.type === 'Word' && isPlain(item))) found.opaque = true;
  }
  if ((node.type === 'For' || node.type === 'Select') && node.wordlist?.every(isPlain) !== true) found.opaque = true;
  if (node.type === 'Command') {
    const name = node.name?.value ?? '';
    if (READERS.has(name) || (name === 'set' && node.args.some(({ text }) => text === '--'))) found.opaque = true;
  }
}

/** A word that stands for itself, or a number that was counted. */
function isPlain(word: Word): boolean {
  if (word.parts?.length === 1 && word.parts[0]?.type === 'ArithmeticExpansion') return true;
  return /^[\w./:@%+,={}-]*$/.test(word.text.replace(/^(["'])(.*)\1$/s, '$2'));
}

/** True when what the script runs cannot be told from its text. */
export const runsValues = ({ counts, opaque, always }: Evaluation): boolean => always || (counts && opaque);
