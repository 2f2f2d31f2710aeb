// What a store found wrong on disk, as two lines on stderr.
import type { Finding } from '../../store/quarantine.ts';
import type { Text } from '../text/text.ts';
import type { Printer } from './printer.ts';

export function printFinding(print: Printer, { errors }: Text, { where, what, fix }: Finding): void {
  print.warn(`xz: ${where}: ${errors.told(what)}`);
  if (fix !== undefined) print.warn(`  ${errors.told(fix)}`);
}
