// What a store found wrong on disk, as two lines on stderr.
import type { Finding } from '../../store/quarantine.ts';
import type { Printer } from './printer.ts';

export function printFinding(print: Printer, { where, what, fix }: Finding): void {
  print.warn(`xz: ${where}: ${what}`);
  if (fix !== undefined) print.warn(`  ${fix}`);
}
