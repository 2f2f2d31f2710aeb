// What is wrong with the graph on disk, for `xz doctor` and for notices.

import type { Finding } from '../quarantine.ts';
import { isQuarantined } from '../quarantine.ts';
import { cycleText } from './cycles.ts';
import type { TaskFiles } from './task-files.ts';

/** Bad files, files moved aside, cycles, and tasks that wait for what will never come. */
export function checkTasks(files: TaskFiles): Finding[] {
  const graph = files.graph();
  const archived = files.archives.byId();
  const findings = [...files.findings()];
  const named = new Set(findings.map((finding) => finding.fix ?? ''));
  for (const name of files.names())
    if (isQuarantined(name) && ![...named].some((fix) => fix.includes(name)))
      findings.push({
        level: 'warning',
        where: `.TASK/${name}`,
        what: 'a bad file that was moved aside',
        fix: 'mend it and rename it back, or delete it',
      });
  for (const cycle of graph.cycles)
    findings.push({
      level: 'broken',
      where: cycle[0] ?? '',
      what: `these tasks wait for each other: ${cycleText(cycle)}`,
      fix: 'take one blocker out: xz task update ID --blocked-by …',
    });
  for (const view of graph.views) {
    for (const wait of view.waits) {
      if (wait.why === 'missing')
        findings.push({
          level: 'warning',
          where: view.id,
          what: `waits for "${wait.id}", which does not exist`,
          fix: 'change its blockedBy',
        });
      if (wait.why === 'failed')
        findings.push({
          level: 'warning',
          where: view.id,
          what: `waits for "${wait.id}", which failed`,
          fix: `set "${wait.id}" to pending to try again`,
        });
    }
    const root = archived.get(view.id)?.archived;
    if (root !== undefined)
      findings.push({
        level: 'warning',
        where: view.id,
        what: `is also in the archive of "${root}"`,
        fix: `xz task archive ${root} finishes it`,
      });
  }
  return findings;
}
