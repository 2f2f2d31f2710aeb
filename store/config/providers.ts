// Facts about providers: their address, protocol, default model, and which environment variables hold their key.

export type Api = 'openai-completions' | 'anthropic-messages';

export interface Provider {
  readonly name: string;
  /** Where its key may be sent when no address is named. Absent: an address must be named. */
  readonly baseUrl?: string;
  readonly api: Api;
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

/** Name, address and protocol of further providers, from the model library's table; where that speaks a protocol of its own, the compatible address. */
const others: ReadonlyArray<readonly [name: string, baseUrl: string, api: 'o' | 'a', ...keyVariables: string[]]> = [
  ['cerebras', 'https://api.cerebras.ai/v1', 'o'],
  ['deepseek', 'https://api.deepseek.com', 'o'],
  ['fireworks', 'https://api.fireworks.ai/inference', 'a'],
  ['google', 'https://generativelanguage.googleapis.com/v1beta/openai', 'o', 'GEMINI_API_KEY'],
  ['groq', 'https://api.groq.com/openai/v1', 'o'],
  ['huggingface', 'https://router.huggingface.co/v1', 'o', 'HF_TOKEN'],
  ['kimi-coding', 'https://api.kimi.com/coding', 'a', 'KIMI_API_KEY'],
  ['minimax', 'https://api.minimax.io/anthropic', 'a'],
  ['minimax-cn', 'https://api.minimaxi.com/anthropic', 'a'],
  ['mistral', 'https://api.mistral.ai/v1', 'o'],
  ['moonshot', 'https://api.moonshot.ai/v1', 'o'],
  ['moonshotai', 'https://api.moonshot.ai/v1', 'o', 'MOONSHOT_API_KEY'],
  ['moonshotai-cn', 'https://api.moonshot.cn/v1', 'o', 'MOONSHOT_API_KEY'],
  ['opencode-go', 'https://opencode.ai/zen/go/v1', 'o', 'OPENCODE_API_KEY'],
  ['openrouter', 'https://openrouter.ai/api/v1', 'o'],
  ['vercel-ai-gateway', 'https://ai-gateway.vercel.sh', 'a', 'AI_GATEWAY_API_KEY'],
  ['xai', 'https://api.x.ai/v1', 'o'],
  ['xiaomi', 'https://api.xiaomimimo.com/anthropic', 'a'],
  ['zai', 'https://api.z.ai/api/coding/paas/v4', 'o'],
];

/** What is known of a provider; one nobody knows speaks chat completions at the address that is given. */
export function providerNamed(name: string): Provider {
  const own = known.find((provider) => provider.name === name);
  if (own !== undefined) return own;
  const keyVariable = `${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}_API_KEY`;
  const [, baseUrl, api, ...keyVariables] = others.find(([other]) => other === name) ?? [];
  return {
    name,
    api: api === 'a' ? 'anthropic-messages' : 'openai-completions',
    keyVariables: keyVariables.length > 0 ? keyVariables : [keyVariable],
    ...(baseUrl === undefined ? {} : { baseUrl }),
  };
}

/** Every provider with an address of its own, the four of the wizard first. */
export const providerNames: readonly string[] = [...known.map(({ name }) => name), ...others.map(([name]) => name)];

const CLAUDE_CODE = ['ANTHROPIC_BASE_URL', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_MODEL', 'ANTHROPIC_SMALL_FAST_MODEL'];

/** True for an environment variable that some provider reads: keys, Claude Code's own, and the second name of Kimi's login host. */
export function isProviderVariable(name: string): boolean {
  return (
    CLAUDE_CODE.includes(name) ||
    name === 'HF_TOKEN' ||
    (/^[A-Z0-9_]+_API_KEY$/.test(name) && !name.startsWith('XZ_') && name !== 'TAVILY_API_KEY')
  );
}
