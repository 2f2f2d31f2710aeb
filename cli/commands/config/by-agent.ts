// What only the person decides: a command that an agent runs, in a shell of its own, is told so. A guard against an agent
// that helps itself; a shell of the same user can write the file.
import { XzError } from '../../../store/errors.ts';
import type { App } from '../../compose.ts';

/** Throws `refused` in a tool shell; `what` is the setting or act. */
export function refuseAgent(app: App, what: string): void {
  if (app.env.XZ_AGENT) throw new XzError('refused', app.text.config.notByAgent(what), { hint: app.text.config.notByAgentHint });
}
