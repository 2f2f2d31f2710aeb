// The arguments of a call as its schema wants them: what models send by mistake is mended where it is plain what was meant,
// and anything else is refused in words that name the parameter and what it takes.
import type { TObject } from 'typebox';
import { XzError } from '../../../store/errors.ts';
import { NOT_AN_OBJECT } from '../model/wire-reply.ts';
import type { Tool } from './tool.ts';

export type Arguments = Record<string, unknown>;

let loading: Promise<typeof import('typebox/value')> | undefined;

/** The arguments as the schema wants them; throws `bad_input` naming the first field that does not fit. */
export async function checkArguments(tool: Tool, given: unknown): Promise<Arguments> {
  const { Value } = await (loading ??= import('typebox/value'));
  const schema: TObject = tool.parameters;
  if (isArguments(given) && NOT_AN_OBJECT in given)
    throw new XzError(
      'bad_input',
      `${tool.name}: nothing was run: the arguments must be a JSON object, with quotes, backslashes and line breaks in strings escaped`,
      { hint: `parameters: ${parameterList(schema)}` },
    );
  const meant = unquote(given, schema);
  // Converting copies all and looks at each name with a pattern: only what does not fit as it is needs that.
  if (isArguments(meant) && Value.Check(schema, meant)) return meant;
  const value: unknown = Value.Convert(schema, meant);
  if (isArguments(value) && Value.Check(schema, value)) return value;
  throw new XzError('bad_input', `${tool.name}: ${whatIsWrong(Value.Errors(schema, value))}`, {
    hint: `parameters: ${parameterList(schema)}`,
  });
}

interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

/** The first thing that does not fit, in words that say what would. */
function whatIsWrong(errors: readonly SchemaError[]): string {
  const [first] = errors;
  if (first === undefined) return 'the arguments do not fit';
  if ('requiredProperties' in first.params && Array.isArray(first.params.requiredProperties))
    return `${first.params.requiredProperties.join(', ')} is missing`;
  const name = first.instancePath.slice(1).replaceAll('/', '.') || 'the arguments';
  const choices = errors.flatMap((error) =>
    error.instancePath === first.instancePath && 'allowedValue' in error.params ? [String(error.params.allowedValue)] : [],
  );
  if (choices.length > 0) return `${name} must be one of: ${choices.join(', ')}`;
  if (first.keyword === 'minLength' && 'limit' in first.params && first.params.limit === 1) return `${name} must not be empty`;
  return `${name} ${first.message}`;
}

/** Some models send the arguments, or a list in them, as JSON inside a string. */
function unquote(given: unknown, schema: TObject): unknown {
  const whole = given === undefined || given === null || given === '' ? {} : parsed(given);
  if (!isArguments(whole)) return whole;
  return Object.fromEntries(
    Object.entries(whole)
      // An optional parameter given as null means "not given".
      .filter(([name, value]) => value !== null || schema.required?.includes(name))
      .map(([name, value]) => [name, typeof value === 'string' && wantsList(schema, name) ? parsed(value) : value]),
  );
}

function wantsList(schema: TObject, name: string): boolean {
  const property: unknown = schema.properties[name];
  return typeof property === 'object' && property !== null && 'type' in property && property.type === 'array';
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch (error) {
    if (error instanceof SyntaxError) return value;
    throw error;
  }
}

function isArguments(value: unknown): value is Arguments {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parameterList(schema: TObject): string {
  const names = Object.entries(schema.properties).map(([name, property]) => {
    const choices = choicesOf(property);
    return `${name}${schema.required?.includes(name) ? '' : '?'}${choices.length === 0 ? '' : ` (${choices.join('|')})`}`;
  });
  return names.length === 0 ? 'none' : names.join(', ');
}

/** The values of a parameter that is one of a few; empty for any other. */
function choicesOf(property: unknown): string[] {
  if (typeof property !== 'object' || property === null || !('anyOf' in property) || !Array.isArray(property.anyOf)) return [];
  const options: readonly unknown[] = property.anyOf;
  const values = options.map((option) =>
    typeof option === 'object' && option !== null && 'const' in option ? String(option.const) : undefined,
  );
  return values.every((value) => value !== undefined) ? values : [];
}
