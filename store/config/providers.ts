// Facts about providers: their address, protocol, default model, and which environment variables hold their key.

export type Api = 'openai-completions' | 'anthropic-messages';

export interface Provider {
  readonly name: string;
  /** Where its key may be sent when no address is named. Absent: the model library knows, or it must be named. */
  readonly baseUrl?: string;
  /** Absent: the model library knows. */
  readonly api?: Api;
  readonly model?: string;
  /** Environment variables that hold its key, best first. */
  readonly keyVariables: readonly string[];
}

export const KIMI_BASE_URL = 'https://api.kimi.com/coding/v1';

const known: readonly Provider[] = [
  {
    name: 'kimi',
    baseUrl: KIMI_BASE_URL,
    api: 'openai-completions',
    model: 'kimi-for-coding',
    keyVariables: ['KIMI_API_KEY', 'MOONSHOT_API_KEY'],
  },
  { name: 'openai', baseUrl: 'https://api.openai.com/v1', api: 'openai-completions', model: 'gpt-5.1', keyVariables: ['OPENAI_API_KEY'] },
  {
    name: 'anthropic',
    baseUrl: 'https://api.anthropic.com',
    api: 'anthropic-messages',
    model: 'claude-sonnet-4-5',
    keyVariables: ['ANTHROPIC_API_KEY'],
  },
  { name: 'custom', api: 'openai-completions', keyVariables: [] },
];

/** Names that do not follow the pattern `<PROVIDER>_API_KEY`. */
const irregular: Readonly<Record<string, readonly string[]>> = {
  google: ['GEMINI_API_KEY'],
  huggingface: ['HF_TOKEN'],
  'kimi-coding': ['KIMI_API_KEY'],
  moonshotai: ['MOONSHOT_API_KEY'],
  'moonshotai-cn': ['MOONSHOT_API_KEY'],
  'vercel-ai-gateway': ['AI_GATEWAY_API_KEY'],
  'opencode-go': ['OPENCODE_API_KEY'],
};

/** What is known of a provider; one that only the model library knows has just its key variables. */
export function providerNamed(name: string): Provider {
  const variable = `${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}_API_KEY`;
  return known.find((provider) => provider.name === name) ?? { name, keyVariables: irregular[name] ?? [variable] };
}

const CLAUDE_CODE = ['ANTHROPIC_BASE_URL', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_MODEL', 'ANTHROPIC_SMALL_FAST_MODEL'];

/** True for an environment variable that some provider reads: keys, and Claude Code's own. */
export function isProviderVariable(name: string): boolean {
  return (
    CLAUDE_CODE.includes(name) ||
    name === 'HF_TOKEN' ||
    (/^[A-Z0-9_]+_API_KEY$/.test(name) && !name.startsWith('XZ_') && name !== 'TAVILY_API_KEY')
  );
}
