import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { findBreakingChanges } from '../contracts/breaking-changes.ts';
import type { Contract, Schema } from '../contracts/breaking-changes.ts';
import { readContracts, readSnapshot } from '../contracts/snapshot.ts';

test('the contracts are those that are recorded: `npm run contracts` records a change that breaks no client', async () => {
  const [recorded, contracts] = [await readSnapshot(), await readContracts()];
  expect(findBreakingChanges(recorded, contracts)).toEqual([]);
  expect(contracts).toEqual(recorded);
});

function contract(request: z.ZodType, answer: z.ZodType = z.null(), more: Partial<Contract> = {}): Contract {
  return {
    route: 'POST /x',
    request: z.toJSONSchema(request, { io: 'input' }),
    answer: z.toJSONSchema(answer, { io: 'output' }),
    stored: null,
    access: ['key'],
    status: 200,
    otherStatuses: [],
    form: 'envelope',
    refusal: 'problem',
    mediaTypes: [],
    preferred: { default: 'application/json' },
    errors: [],
    ...more,
  } as Contract;
}

const changesOf = (before: Contract, after: Contract) => findBreakingChanges({ x: before }, { x: after });

const node = z.object({
  name: z.string(),
  get parts() {
    return z.array(node);
  },
});
const grown = z.object({
  name: z.string().nullable(),
  get parts() {
    return z.array(grown);
  },
});

describe('a change of what is stored', () => {
  const stored = (schema: z.ZodType) =>
    contract(z.null(), z.null(), { stored: z.toJSONSchema(schema, { io: 'output' }) as Schema });
  const before = stored(z.object({ a: z.string(), b: z.int().max(9) }));

  test.each([
    [
      'a field is gone, and a further one may be missing',
      stored(z.object({ b: z.int(), c: z.int().optional() })),
      [],
    ],
    [
      'a bound is lower: nobody checks what is stored',
      stored(z.object({ a: z.string(), b: z.int().max(5) })),
      [],
    ],
    ['a field has another form', stored(z.object({ a: z.int() })), ['x: stored.a no longer takes string']],
    [
      'there is a further field, which nobody adds to what is stored',
      stored(z.object({ c: z.int(), d: z.int().default(1) })),
      ['x: stored.c is now required', 'x: stored.d is now required'],
    ],
  ])('%s', (_, after, changes) => {
    expect(changesOf(before, after)).toEqual(changes);
  });

  test('an answer that was stored as it is gets a presenter', () => {
    const plain = contract(z.null(), z.object({ a: z.string() }), { stored: 'answer' });
    const presented = contract(z.null(), z.object({ a: z.string() }), {
      stored: z.toJSONSchema(z.object({ b: z.string() }), { io: 'output' }) as Schema,
    });
    expect(changesOf(plain, presented)).toEqual(['x: stored.b is now required']);
  });

  test.each([
    [
      'has a further field, which our own readers of older ones do not find',
      z.object({ a: z.string().nullable(), b: z.int() }),
      ['x: stored.b is now required'],
    ],
    [
      'is no longer null, which older ones are',
      z.object({ a: z.string() }),
      ['x: stored.a no longer takes null'],
    ],
    ['may have a further field', z.object({ a: z.string().nullable(), b: z.int().optional() }), []],
  ])('an answer that is stored as it is %s', (_, after, changes) => {
    const plain = (schema: z.ZodType) => contract(z.null(), schema, { stored: 'answer' });
    expect(changesOf(plain(z.object({ a: z.string().nullable() })), plain(after))).toEqual(changes);
  });
});

describe('a change of a request', () => {
  test.each([
    [
      'a field is gone',
      z.strictObject({ a: z.string().optional() }),
      z.strictObject({}),
      ['x: request.a is gone'],
    ],
    ['a field is required', z.object({}), z.object({ a: z.string() }), ['x: request.a is now required']],
    ['a value is gone', z.enum(['a', 'b']), z.enum(['a']), ['x: request no longer takes "b"']],
    ['a bound is lower', z.int().max(9), z.int().max(5), ['x: request maximum is now 5']],
    ['a text is a number', z.array(z.string()), z.array(z.number()), ['x: request[] no longer takes string']],
    ['no null', z.string().nullable(), z.string(), ['x: request no longer takes null']],
    [
      'a default is another',
      z.object({ a: z.int().default(1), b: z.string().nullable().default('b'), c: z.int().default(3) }),
      z.object({ a: z.int().default(2), b: z.string().nullable().default(null), c: z.int().optional() }),
      [
        'x: request.a default is now 2',
        'x: request.b default is now null',
        'x: request.c default is now none',
      ],
    ],
    [
      'other fields are refused',
      z.object({}),
      z.strictObject({}),
      ['x: request no longer takes other fields'],
    ],
    [
      'a value of a record is bounded',
      z.record(z.string(), z.string()),
      z.record(z.string(), z.string().max(5)),
      ['x: request.* maxLength is now 5'],
    ],
  ])('breaks where %s', (_, before, after, changes) => {
    expect(changesOf(contract(before), contract(after))).toEqual(changes);
  });

  test.each([
    ['a further field is optional', z.strictObject({}), z.strictObject({ a: z.string().optional() })],
    ['more values are taken', z.enum(['a']), z.enum(['a', 'b'])],
    ['any text is taken', z.enum(['a']), z.string()],
    ['a bound is wider', z.string().max(5), z.string().max(9)],
    ['null is taken too', z.string(), z.string().nullable()],
    [
      'what was left out has a default',
      z.object({ a: z.int().optional() }),
      z.object({ a: z.int().default(1) }),
    ],
    ['other fields are taken', z.strictObject({}), z.looseObject({})],
    ['numbers are no longer whole', z.int(), z.number()],
  ])('breaks nothing where %s', (_, before, after) => {
    expect(changesOf(contract(before), contract(after))).toEqual([]);
  });
});

describe('a change of an answer', () => {
  const answer = (schema: z.ZodType) => contract(z.null(), schema);

  test.each([
    ['a field is gone', z.object({ a: z.string() }), z.object({}), ['x: answer.a is gone']],
    [
      'a field may be missing',
      z.object({ a: z.string() }),
      z.object({ a: z.string().optional() }),
      ['x: answer.a may now be missing'],
    ],
    ['a further value comes', z.enum(['a']), z.enum(['a', 'b']), ['x: answer may now answer "b"']],
    ['null comes', z.string(), z.string().nullable(), ['x: answer may now answer null']],
    ['null comes deep in a tree', node, grown, ['x: answer.name may now answer null']],
  ])('breaks where %s', (_, before, after, changes) => {
    expect(changesOf(answer(before), answer(after))).toEqual(changes);
  });

  test.each([
    ['a further field comes', z.object({}), z.object({ a: z.string() })],
    ['null comes no more', z.string().nullable(), z.string()],
    ['fewer values come', z.enum(['a', 'b']), z.enum(['a'])],
  ])('breaks nothing where %s', (_, before, after) => {
    expect(changesOf(answer(before), answer(after))).toEqual([]);
  });
});

describe('a change of who may ask and of what the answer is like', () => {
  const before = contract(z.null(), z.null(), {
    otherStatuses: [503],
    preferred: { default: 'application/json', 'format=vtt': 'text/vtt' },
  });

  test.each<[string, Partial<Contract>, string[]]>([
    ['a key is no longer let in', { access: ['session'] }, ['x: key may no longer ask']],
    ['a success has another status', { status: 201 }, ['x: status is now 201']],
    ['a status with the answer is gone', { otherStatuses: [] }, ['x: 503 is no longer answered']],
    ['a key is refused in another form', { refusal: 'invalid' }, ['x: refusal is now invalid']],
    ['the envelope is gone', { form: 'bare' }, ['x: form is now bare']],
    [
      'another media type is preferred',
      { preferred: { default: 'text/plain', 'format=vtt': 'text/vtt' } },
      ['x: default is now answered with text/plain, no longer application/json'],
    ],
    [
      'none is preferred any more',
      { preferred: { default: 'application/json' } },
      ['x: format=vtt is now answered with application/json, no longer text/vtt'],
    ],
  ])('breaks where %s', (_, more, changes) => {
    expect(changesOf(before, { ...before, ...more })).toEqual(changes);
  });

  test.each<[string, Partial<Contract>]>([
    ['a session may ask too', { access: ['key', 'session'] }],
    [
      'there is a further format',
      { preferred: { ...before.preferred, 'format=srt': 'application/x-subrip' } },
    ],
  ])('breaks nothing where %s', (_, more) => {
    expect(changesOf(before, { ...before, ...more })).toEqual([]);
  });
});

test('an operation, a route and a media type that are gone break clients; an internal operation does not', () => {
  const before = contract(z.null(), z.null(), { mediaTypes: ['text/vtt'] });
  expect(findBreakingChanges({ x: before }, {})).toEqual(['x: is gone']);
  expect(changesOf(before, { ...before, route: 'POST /y' })).toEqual(['x: route is now POST /y']);
  expect(changesOf(before, { ...before, mediaTypes: [] })).toEqual(['x: text/vtt is no longer answered']);
  expect(findBreakingChanges({ x: { ...before, route: null } }, {})).toEqual([]);
});
