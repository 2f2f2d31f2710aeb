// Puts an agent together from what its thread has: stores, settings, a model, the standard tools and those its place
// adds. The lead, a teammate and a sub-agent differ only in what they are built with.

import { type Clock, localDate } from '../../store/clock.ts';
import type { Config } from '../../store/config/config.ts';
import type { Preloaded } from '../../store/identity/preload.ts';
import type { Layout } from '../../store/layout.ts';
import type { Locks } from '../../store/lock.ts';
import type { SessionRow, Sessions } from '../../store/sessions/sessions.ts';
import type { Tasks } from '../../store/tasks/tasks.ts';
import { type Agent, type AgentSetup, createAgent } from './agent.ts';
import type { EmitAgentEvent } from './events.ts';
import type { SharedFolder } from './files/shared-folder.ts';
import type { MailSource } from './mail-source.ts';
import type { Model } from './model/model.ts';
import { projectInstructions } from './prompt/project.ts';
import { systemPrompt } from './prompt/system-prompt.ts';
import { hiddenValues } from './secrets.ts';
import { skillsNews } from './skills/section.ts';
import type { Skills } from './skills/skills.ts';
import { openStandardTools, type StandardTools } from './standard-tools.ts';
import { type AskPermission, capFor, createFrame, type PermissionSettings, type ToolFrame } from './tools/frame.ts';
import { openOutputs } from './tools/outputs.ts';
import type { Tool } from './tools/tool.ts';
import type { Limits } from './turn/limits.ts';

/** What a thread has to build agents from. */
export interface AgentParts {
  readonly layout: Layout;
  readonly clock: Clock;
  readonly locks: Locks;
  readonly sessions: Sessions;
  readonly tasks: Tasks;
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The name this process holds a lease on for life; its shells carry it, so that a later start finds strays. */
  readonly process: { readonly name: string; hold(): void };
  /** Folder with `xz`, put first on the PATH of tool shells. */
  readonly binFolder: string | undefined;
  readonly trusted: boolean;
  readonly skills: Skills;
  /** xz's version, which web servers are told. */
  readonly version: string;
}

export interface AgentSpec {
  readonly kind: 'lead' | 'teammate' | 'agent';
  readonly session: SessionRow;
  readonly name: string;
  readonly role?: string;
  readonly root: string;
  readonly inWorktree: boolean;
  /** Where other agents work in the same folder. */
  readonly shared?: SharedFolder;
  readonly place?: string;
  readonly guidance?: readonly string[];
  /** Tools beside the standard ones; asked again for each request, so that switching the team on adds its tools. */
  readonly extraTools: readonly Tool[];
  readonly aliases?: Readonly<Record<string, string>>;
  readonly model: () => Promise<Model>;
  /** Tokens of the model's window, for the cap of a tool result. */
  readonly window: () => number;
  readonly acceptsImages: () => boolean;
  readonly permissions: () => PermissionSettings;
  readonly ask?: AskPermission;
  readonly secrets: () => readonly string[];
  readonly mail: MailSource;
  readonly limits: Limits;
  readonly emit: EmitAgentEvent;
  readonly background?: AgentSetup['background'];
  readonly beforeSummary?: AgentSetup['beforeSummary'];
  /** Who the agent and the person are and what was talked about: the lead's to know; the others hold only their task. */
  readonly preload?: () => Preloaded;
}

export interface BuiltAgent {
  readonly agent: Agent;
  readonly frame: ToolFrame;
  readonly tools: StandardTools;
  /** Ends every shell the agent started. */
  close(): Promise<void>;
}

export function buildAgent(parts: AgentParts, spec: AgentSpec): BuiltAgent {
  const outputs = openOutputs(parts.layout.outputs);
  const secrets = hiddenValues(parts, spec.secrets);
  const tools = openStandardTools(parts, spec, outputs, secrets);
  const frame = createFrame({
    tools: [...tools.list, ...spec.extraTools],
    permissions: spec.permissions,
    inWorktree: spec.inWorktree,
    capBytes: () => capFor(spec.window()),
    outputs,
    secrets,
    ...(parts.env.HOME !== undefined && { home: parts.env.HOME }),
    ...(spec.ask !== undefined && { ask: spec.ask }),
    ...(spec.aliases !== undefined && { aliases: spec.aliases }),
  });
  const prompt = promptOf(parts, spec);
  let untold = prompt.notices;
  /** Nobody listens yet while an agent is built: what was cut from the prompt is told before the first event. */
  const emit: EmitAgentEvent = (event) => {
    const notices = untold;
    untold = [];
    for (const text of notices) spec.emit({ type: 'notice', code: 'preload_cut', text });
    spec.emit(event);
  };
  const agent = createAgent({
    sessions: parts.sessions,
    session: spec.session,
    name: spec.name,
    root: spec.root,
    model: spec.model,
    frame,
    systemPrompt: prompt.text,
    mail: spec.mail,
    limits: spec.limits,
    emit,
    clock: parts.clock,
    reminder: tools.reminder,
    onRequest: tools.newRequest,
    background: async (request, signal, kind) => {
      // A folder that cannot be looked at is told when a skill is called.
      await parts.skills.refresh().catch(() => undefined);
      const told = [await spec.background?.(request, signal, kind), skillsNews(parts.skills.list(), prompt.text)];
      return told.filter((part) => part !== undefined && part !== '').join('\n\n') || undefined;
    },
    ...(spec.beforeSummary !== undefined && { beforeSummary: spec.beforeSummary }),
  });
  return { agent, frame, tools, close: tools.close };
}

/** The stored prompt of the session, or a new one that is stored with it, and what had to be cut from it. */
function promptOf(parts: AgentParts, spec: AgentSpec): { readonly text: string; readonly notices: readonly string[] } {
  const stored = parts.sessions.get(spec.session.id)?.systemPrompt;
  if (stored !== undefined) return { text: stored, notices: [] };
  const project = projectInstructions(spec.root);
  const known = spec.preload?.();
  const skills = parts.skills.section();
  const prompt = systemPrompt({
    kind: spec.kind,
    name: spec.name,
    root: spec.root,
    today: localDate(parts.clock.now()),
    platform: `${process.platform} ${process.arch}`,
    ...(spec.role !== undefined && { role: spec.role }),
    ...(spec.place !== undefined && { place: spec.place }),
    ...(spec.guidance !== undefined && { guidance: spec.guidance }),
    ...(known !== undefined && { identity: known.text }),
    ...(project !== undefined && { project }),
    ...(skills !== undefined && { skills }),
  });
  parts.sessions.setSystemPrompt(spec.session.id, prompt);
  return { text: prompt, notices: known?.notices ?? [] };
}
