// The model of a role, from the settings in force. Used by the lead's process and by each teammate's thread alike.
import type { Config } from '../../../store/config/config.ts';
import { type ModelRole, resolveModel } from '../../../store/config/resolve.ts';
import { secretValues } from '../../../store/config/secrets.ts';
import { hiddenValues } from '../secrets.ts';
import { type Identity, modelSettings } from './from-config.ts';
import { type Model, openModel } from './model.ts';

export interface ModelSource {
  readonly config: Config;
  readonly identity: Identity;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whose model it is: a script has a part for each agent. */
  readonly agent: string;
}

/** Environment variable that names the script which the provider `scripted` plays. */
export const SCRIPT_VARIABLE = 'XZ_SCRIPT';

/** The model of a role. Throws `not_configured` when nothing names a usable one. */
export async function chooseModel({ config, identity, env, agent }: ModelSource, role: ModelRole): Promise<Model> {
  const script = config.model.provider === 'scripted' ? env[SCRIPT_VARIABLE] : undefined;
  if (script !== undefined) {
    const { openScripted, readScript } = await import('./scripted.ts');
    return openScripted(readScript(script), agent, identity.clock);
  }
  const hidden = hiddenValues({ config, env }, () => secretValues(config));
  const settings = { ...modelSettings(resolveModel(config, role), identity), secrets: hidden };
  const window = config.context.maxTokens;
  return openModel(window === undefined ? settings : { ...settings, contextWindow: window }, identity.clock);
}
