// One parse at each edge: JSON from disk, thread, model or argv is checked against a compiled TypeBox schema, and its
// type is derived from that schema. Compiling is put off until the first value arrives.
import type { Static, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/schema';
import { errorMessage, XzError } from './errors.ts';

export interface Parser<T> {
  /** The value, typed, when it fits; throws `bad_file` naming the first field that does not. */
  parse(value: unknown): T;
  /** Parses JSON text, then the value. */
  parseJson(text: string): T;
  fits(value: unknown): value is T;
}

/** A parser for a schema. Unknown fields are kept. */
export function parserOf<S extends TSchema>(schema: S, what: string): Parser<Static<S>> {
  let compiled: Validator<S> | undefined;
  const validator = () => (compiled ??= Compile(schema));
  const fits = (value: unknown): value is Static<S> => validator().Check(value);
  const parse = (value: unknown): Static<S> => {
    if (fits(value)) return value;
    const [first] = validator().Errors(value)[1];
    throw new XzError('bad_file', `${what}: ${first ? `${first.instancePath || 'the value'} ${first.message}` : 'does not fit'}`);
  };
  return {
    parse,
    fits,
    parseJson(text) {
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch (error) {
        throw new XzError('bad_file', `${what}: not JSON (${errorMessage(error)})`, { cause: error });
      }
      return parse(value);
    },
  };
}
