import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { plainOffer } from '../../../../workers/agent/model/tool-offer.ts';

test('a constant and a choice of constants are offered as an enum, and nothing else changes', () => {
  const State = Type.Union([Type.Literal('open'), Type.Literal('done')], { description: 'which' });
  const parameters = Type.Object({
    state: Type.Optional(State),
    list: Type.Array(Type.Object({ const: State, anyOf: Type.Optional(Type.Integer({ minimum: 1 })) })),
    one: Type.Literal(3),
    either: Type.Union([Type.String(), Type.Null()]),
  });
  const choice = { type: 'string', enum: ['open', 'done'], description: 'which' };
  const { parameters: plain } = plainOffer({ name: 't', description: 'd', parameters });
  expect(JSON.parse(JSON.stringify(plain))).toEqual({
    type: 'object',
    required: ['list', 'one', 'either'],
    properties: {
      state: choice,
      list: {
        type: 'array',
        items: { type: 'object', required: ['const'], properties: { const: choice, anyOf: { type: 'integer', minimum: 1 } } },
      },
      one: { type: 'number', enum: [3] },
      either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    },
  });
});
