// One-shot sub-agents: a session of their own, the lead's model and mode, no team, no task-writing, no sub-agents.
import { localDate } from '../store/clock.ts';
import { stableHash } from '../store/ids.ts';
import { type AgentParts, buildAgent } from '../workers/agent/build.ts';
import { noMail } from '../workers/agent/mail-source.ts';
import type { Limits } from '../workers/agent/turn/limits.ts';
import type { PermissionMode } from './conversation.ts';
import type { EmitLeadEvent } from './events.ts';
import type { ModelChoice } from './models.ts';
import { sharedWith, type TeamSide } from './team/side.ts';
import type { RunSubAgent } from './tools/sub-agent.ts';

export interface SubAgentSetup {
  readonly parts: AgentParts;
  readonly models: ModelChoice;
  readonly session: () => string;
  readonly mode: () => PermissionMode;
  readonly emit: EmitLeadEvent;
  readonly limits: Limits;
  readonly team: Pick<TeamSide, 'shared'>;
}

export function createSubAgents({ parts, models, session, mode, emit, limits, team }: SubAgentSetup): RunSubAgent {
  return async ({ task, title, signal, origin }) => {
    const key = stableHash('sub-agent', origin.session, String(origin.row), String(origin.index)).slice(0, 6);
    const name = `agent-${key}`;
    const row = parts.sessions.create({
      id: `${localDate(parts.clock.now())}-${key}`,
      kind: 'agent',
      agent: name,
      parent: session(),
      title,
    });
    const built = buildAgent(parts, {
      kind: 'agent',
      session: row,
      name,
      root: parts.layout.root,
      inWorktree: false,
      ...sharedWith(team, { name, session: row.id }),
      extraTools: [],
      model: () => models.model('main'),
      window: () => models.facts().window,
      acceptsImages: models.images,
      permissions: () => ({ mode: mode(), allow: parts.config.permissions.allow, deny: parts.config.permissions.deny }),
      secrets: models.secrets,
      mail: noMail,
      limits,
      emit: (event) => emit({ ...event, agent: name }),
    });
    const stop = () => built.agent.stop('interrupt');
    signal.addEventListener('abort', stop, { once: true });
    try {
      const outcome = await built.agent.run({ kind: 'user', text: task });
      return {
        stopReason: outcome.stopReason,
        text: outcome.fault === undefined ? outcome.text : `${outcome.text}\n${outcome.fault.text}`.trim(),
      };
    } finally {
      signal.removeEventListener('abort', stop);
      await built.close();
    }
  };
}
