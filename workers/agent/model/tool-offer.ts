// Tools as they are offered, in words that every server knows: Gemini's refuse `const`, others a choice without a type of
// its own. What a call's arguments are checked against stays the tool's own schema.
import type { ToolOffer } from './model.ts';

type Schema = Readonly<Record<string, unknown>>;

const plainOffers = new WeakMap<ToolOffer['parameters'], ToolOffer['parameters']>();

/** The tool with each constant, and each choice of constants, as an `enum`. */
export function plainOffer({ name, description, parameters }: ToolOffer): ToolOffer {
  let plain = plainOffers.get(parameters);
  if (plain === undefined) plainOffers.set(parameters, (plain = plainSchema(parameters)));
  return { name, description, parameters: plain };
}

function plainSchema(schema: unknown): Record<string, unknown> {
  const { anyOf, const: only, ...rest }: Record<string, unknown> = Object(schema);
  const { properties, items, additionalProperties } = rest;
  if (isSchema(properties))
    rest.properties = Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, plainSchema(value)]));
  if (isSchema(items)) rest.items = plainSchema(items);
  if (isSchema(additionalProperties)) rest.additionalProperties = plainSchema(additionalProperties);
  if (only !== undefined) return { ...rest, enum: [only] };
  if (!Array.isArray(anyOf)) return rest;
  const choices = anyOf.map(plainSchema);
  const words = choices.flatMap(({ type, enum: values }) => (type === 'string' && Array.isArray(values) ? [values] : []));
  return words.length === choices.length ? { ...rest, type: 'string', enum: words.flat() } : { ...rest, anyOf: choices };
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
