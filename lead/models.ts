// The models of a run, opened when first needed and switched by `/model`.
import type { Config } from '../store/config/config.ts';
import type { ModelRole } from '../store/config/resolve.ts';
import { secretValues } from '../store/config/secrets.ts';
import { chooseModel, type ModelSource } from '../workers/agent/model/choose.ts';
import type { Model } from '../workers/agent/model/model.ts';
import type { Price } from '../workers/agent/model/settings.ts';
import type { ModelFacts } from './conversation.ts';

export interface ModelChoice {
  model(role: ModelRole): Promise<Model>;
  /** What is known of the main model without asking it. */
  facts(): ModelFacts;
  /** Whether the main model takes images. */
  images(): boolean;
  /** Whether what a request costs can be told in dollars. */
  priced(): boolean;
  /** Switches the main model; throws `not_configured` when it cannot be reached with what is configured. */
  switchTo(model: string, provider: string | undefined): Promise<void>;
  /** Values that must never be stored, shown or sent. */
  secrets(): readonly string[];
}

/** Opens the main model (nothing is sent). `reload` gives the settings with another model named. */
export async function openModels(
  source: ModelSource,
  reload: (model: string, provider: string | undefined) => Promise<Config>,
): Promise<ModelChoice> {
  let main = await chooseModel(source, 'main');
  const others = new Map<ModelRole, Promise<Model>>();
  return {
    model(role) {
      if (role === 'main') return Promise.resolve(main);
      let model = others.get(role);
      if (model === undefined) others.set(role, (model = chooseModel(source, role)));
      return model;
    },
    facts: () => ({
      provider: main.facts.provider,
      model: main.facts.model,
      host: main.facts.host,
      window: main.facts.window,
      price: priceInWords(main.facts.price),
    }),
    images: () => main.facts.images,
    priced: () => typeof main.facts.price === 'object',
    async switchTo(model, provider) {
      main = await chooseModel({ ...source, config: await reload(model, provider) }, 'main');
    },
    secrets: () => secretValues(source.config),
  };
}

function priceInWords(price: Price): string {
  if (price === undefined) return 'unknown';
  return price === 'subscription' ? price : `$${price.input} in, $${price.output} out per million tokens`;
}
