// What the tests of model access share: settings for the model server, and a request with one tool.
import { type TObject, Type } from 'typebox';
import type { AssistantContent, Content } from '../../../../store/sessions/message.ts';
import { type Delta, type Model, type ModelRequest, openModel } from '../../../../workers/agent/model/model.ts';
import type { ModelSettings } from '../../../../workers/agent/model/settings.ts';
import type { ModelServer } from '../../../helpers/model-server.ts';

export const GREP: { name: string; description: string; parameters: TObject } = {
  name: 'grep',
  description: 'Searches.',
  parameters: Type.Object({ pattern: Type.String() }),
};

export function settingsFor(server: Pick<ModelServer, 'url' | 'anthropicUrl'>, more: Partial<ModelSettings> = {}): ModelSettings {
  const api = more.api ?? 'openai-completions';
  return {
    provider: 'custom',
    model: 'scripted',
    baseUrl: api === 'openai-completions' ? server.url : server.anthropicUrl,
    api,
    auth: async () => ({ apiKey: 'test-key' }),
    ...more,
  };
}

export const user = (text: string): Content => ({ role: 'user', text });

export interface Asked {
  readonly content: AssistantContent;
  readonly deltas: readonly Delta[];
}

export function requestOf(messages: readonly Content[], more: Partial<ModelRequest> = {}): ModelRequest {
  return { systemPrompt: 'You are a test.', messages, tools: [GREP], signal: new AbortController().signal, session: 's1', ...more };
}

/** One reply with everything that was streamed on the way. */
export async function ask(model: Model, messages: readonly Content[], more: Partial<ModelRequest> = {}): Promise<Asked> {
  const deltas: Delta[] = [];
  const content = await model.reply(requestOf(messages, { onDelta: (delta) => deltas.push(delta), ...more }));
  return { content, deltas };
}

export function askServer(server: ModelServer, more: Partial<ModelSettings> = {}): Promise<Asked> {
  return ask(openModel(settingsFor(server, more)), [user('hi')]);
}
