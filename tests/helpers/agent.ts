// One agent over real SQLite and a model behind a real HTTP port, in this process; only the model's words are scripted.
import { join } from 'node:path';
import { systemClock } from '../../store/clock.ts';
import { type Database, openDatabase } from '../../store/database/database.ts';
import { storeSchemas } from '../../store/schemas.ts';
import { openSessions, type Sessions } from '../../store/sessions/sessions.ts';
import { type Agent, type AgentSetup, createAgent } from '../../workers/agent/agent.ts';
import type { AgentEvent } from '../../workers/agent/events.ts';
import { noMail } from '../../workers/agent/mail-source.ts';
import { openModel } from '../../workers/agent/model/model.ts';
import { createFrame } from '../../workers/agent/tools/frame.ts';
import { openOutputs } from '../../workers/agent/tools/outputs.ts';
import type { Tool } from '../../workers/agent/tools/tool.ts';
import type { ModelServer } from './model-server.ts';
import { tempFolder } from './temp.ts';

export interface TestAgent {
  readonly agent: Agent;
  readonly sessions: Sessions;
  readonly db: Database;
  readonly events: AgentEvent[];
  /** The same session in a new process, as far as memory goes. */
  again(over?: Partial<AgentSetup>): Agent;
}

export interface TestAgentOptions {
  readonly tools?: readonly Tool[];
  readonly window?: number;
  readonly over?: Partial<AgentSetup>;
}

export function testAgent(server: ModelServer, options: TestAgentOptions = {}): TestAgent {
  const folder = tempFolder();
  const db = openDatabase(join(folder, 'agent.db'), storeSchemas);
  const sessions = openSessions(db, systemClock);
  const session = sessions.create({ kind: 'lead', agent: 'Lead', title: 'test' });
  const events: AgentEvent[] = [];
  const model = openModel({
    provider: 'custom',
    model: 'scripted',
    baseUrl: server.url,
    api: 'openai-completions',
    auth: () => Promise.resolve({ apiKey: 'test-key' }),
    ...(options.window !== undefined && { contextWindow: options.window }),
  });
  const frame = createFrame({
    tools: options.tools ?? [],
    permissions: () => ({ mode: 'yolo', allow: [], deny: [] }),
    inWorktree: false,
    capBytes: () => 1_000_000,
    outputs: openOutputs(join(folder, 'outputs')),
    secrets: () => [],
  });
  const again = (over: Partial<AgentSetup> = {}) =>
    createAgent({
      sessions,
      session,
      name: 'Lead',
      root: folder,
      model: () => Promise.resolve(model),
      frame,
      systemPrompt: 'You are a test.',
      mail: noMail,
      limits: { maxRounds: 50 },
      emit: (event) => void events.push(event),
      clock: systemClock,
      ...options.over,
      ...over,
    });
  return { agent: again(), sessions, db, events, again };
}
