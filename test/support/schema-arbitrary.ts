import fc from 'fast-check';
import type { Schema } from './api-document.ts';

/** Texts that have broken parsers, databases and logs before. */
export const oddTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\u202Eevil',
  '😀'.repeat(20),
  '%00',
  '../../etc/passwd',
  "'; drop table jobs; --",
  '__proto__',
  'null',
  '-1',
  '1e400',
  'x'.repeat(9_000),
] as const;

export interface ArbitraryOptions {
  /** Stands for every text whose example is the URL of a page. */
  targetUrl: fc.Arbitrary<string>;
  resolve(reference: string): Schema;
}

const partOf = (schema: Schema, name: string) => schema[name] as Schema | undefined;
const numberOf = (schema: Schema, name: string, otherwise: number) =>
  typeof schema[name] === 'number' ? schema[name] : otherwise;

function textOf(schema: Schema, { targetUrl }: ArbitraryOptions): fc.Arbitrary<string> {
  const examples = (schema['examples'] ?? []) as string[];
  if (examples.some((example) => /^https?:/.test(example))) return targetUrl;
  const format = schema['format'];
  if (format === 'uuid') return fc.uuid();
  if (format === 'date-time') {
    // None that is past when it is sent.
    const [min, max] = [new Date(Date.now() + 3.6e6), new Date(Date.now() + 3e10)];
    const dates = fc.date({ min, max, noInvalidDate: true });
    return dates.map((date) => date.toISOString());
  }
  const minLength = numberOf(schema, 'minLength', 0);
  const maxLength = Math.min(numberOf(schema, 'maxLength', 60), 60);
  const made =
    typeof schema['pattern'] === 'string'
      ? fc.stringMatching(new RegExp(schema['pattern'])).filter((text) => text.length <= maxLength)
      : fc.string({ minLength, maxLength });
  // Where a text means something, its examples say what; most of the others would be no selector, no URL.
  return examples.length === 0
    ? made
    : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...examples) }, { weight: 1, arbitrary: made });
}

function objectOf(schema: Schema, options: ArbitraryOptions): fc.Arbitrary<Record<string, unknown>> {
  const values = partOf(schema, 'additionalProperties');
  if (typeof values === 'object') {
    const names = partOf(schema, 'propertyNames') ?? {};
    return fc.dictionary(textOf({ ...names, minLength: 1 }, options), arbitraryOf(values, options), {
      maxKeys: 3,
    });
  }
  const parts = Object.entries(schema.properties ?? {}).map(
    ([name, part]) => [name, arbitraryOf(part, options)] as const,
  );
  const requiredKeys = [
    ...(schema.required ?? []),
    ...('timeout' in (schema.properties ?? {}) ? ['timeout'] : []),
  ];
  const rivals = rivalsOf(schema);
  if (rivals.length === 0) return fc.record(Object.fromEntries(parts), { requiredKeys });
  return fc.oneof(
    ...rivals.map((chosen) => {
      const kept = parts.filter(([name]) => name === chosen || !rivals.includes(name));
      return fc.record(Object.fromEntries(kept), { requiredKeys: [...requiredKeys, chosen] });
    }),
  );
}

/** Properties of which a request has exactly one, as the URL of a page or the page itself. */
export function rivalsOf(schema: Schema): string[] {
  return partOf(schema, 'not')?.required ?? [];
}

/** Values that a JSON Schema allows; of what bounds them only what contracts use. */
export function arbitraryOf(schema: Schema, options: ArbitraryOptions): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return arbitraryOf(options.resolve(schema.$ref), options);
  const { examples, ...bare } = schema;
  // As of a text: most others would have one part that means nothing. Those with a URL are made with one of the test's.
  const isShown = Array.isArray(examples) && !JSON.stringify(examples).includes('http');
  if (isShown && schema.type !== 'string') {
    const shown = fc.constantFrom(...(examples as unknown[]));
    return fc.oneof({ weight: 3, arbitrary: shown }, { weight: 1, arbitrary: arbitraryOf(bare, options) });
  }
  if (Array.isArray(schema.type)) {
    return fc.oneof(...schema.type.map((type: string) => arbitraryOf({ ...schema, type }, options)));
  }
  if ('const' in schema) return fc.constant(schema['const']);
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]));
  const either = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined;
  if (either !== undefined) return fc.oneof(...either.map((one) => arbitraryOf(one, options)));
  const min = numberOf(schema, 'minimum', -1_000);
  const max = numberOf(schema, 'maximum', 1_000_000);
  switch (schema.type) {
    case 'string':
      return textOf(schema, options);
    case 'integer':
      return fc.oneof(fc.constantFrom(min, max), fc.integer({ min, max }));
    case 'number':
      return fc.double({ min, max, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(arbitraryOf(partOf(schema, 'items') ?? {}, options), {
        minLength: numberOf(schema, 'minItems', 0),
        maxLength: Math.min(numberOf(schema, 'maxItems', 4), 4),
      });
    case 'object':
      return objectOf(schema, options);
    default:
      return fc.jsonValue();
  }
}
