// What agents of this process are built from: the stores, the settings and the names that their shells carry.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PermissionMode } from '../lead/conversation.ts';
import type { EmitLeadEvent } from '../lead/events.ts';
import { LEAD_NAME } from '../lead/lead.ts';
import { pathExists } from '../store/files.ts';
import { sweepDeadProcesses } from '../store/process.ts';
import type { Finding } from '../store/quarantine.ts';
import { openTasks } from '../store/tasks/tasks.ts';
import { isTrusted } from '../store/trust.ts';
import type { AgentParts } from '../workers/agent/build.ts';
import { endStrayShells } from '../workers/agent/shell/strays.ts';
import { openSkills } from '../workers/agent/skills/skills.ts';
import { skillsInput } from './commands/skill/open.ts';
import type { App } from './compose.ts';
import { VERSION } from './version.ts';

/** Opens the parts, and clears away what dead processes left: temp files and stray shells. */
export async function openParts(app: App, mode: PermissionMode, emit: EmitLeadEvent): Promise<AgentParts> {
  const layout = app.layout();
  const process = app.processName();
  // Held from the start: teammates' shells carry this name from threads that cannot take the lease themselves.
  process.hold();
  const sessions = await app.sessions();
  sweepDeadProcesses(app.locks(), layout.locks);
  await endStrayShells(layout.root, app.locks(), app.clock);
  return {
    layout,
    clock: app.clock,
    locks: app.locks(),
    sessions,
    tasks: openTasks({ layout, locks: () => app.locks(), clock: app.clock, notice: (finding) => report(emit, finding) }),
    config: await app.config(),
    env: app.env,
    process,
    binFolder: programFolder(),
    version: VERSION,
    skills: await openSkills({ ...skillsInput(app), notice: (finding) => report(emit, finding) }),
    trusted: mode === 'yolo' || isTrusted(layout),
  };
}

/** Tells a person of a bad file, wherever they are looking. */
export function report(emit: EmitLeadEvent, { where, what, fix }: Finding): void {
  emit({ type: 'notice', agent: LEAD_NAME, code: 'bad_file', text: `${where}: ${what}${fix ? ` (${fix})` : ''}` });
}

/** The folder beside the program that holds an executable `xz`, for tool shells; made by the build. */
function programFolder(): string | undefined {
  const folder = join(dirname(fileURLToPath(import.meta.url)), 'bin');
  return pathExists(join(folder, 'xz')) ? folder : undefined;
}
