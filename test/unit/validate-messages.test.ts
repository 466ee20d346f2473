import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { validate } from '../../src/api/http/validate.ts';
import { AppError } from '../../src/shared/errors.ts';

function messageOf(schema: z.ZodType, value: unknown): string | undefined {
  try {
    validate(z.object({ field: schema }), value);
  } catch (error) {
    if (error instanceof AppError) return error.errors?.map(({ message }) => message).join(' | ');
    throw error;
  }
  return undefined;
}

describe('what a client hears of a wrong field', () => {
  it.each<[what: string, schema: z.ZodType, value: unknown, message: string]>([
    ['a field that is missing', z.string(), {}, 'is missing; it must be a string'],
    ['another type', z.string(), { field: 5 }, 'must be a string, not a number'],
    ['null', z.array(z.string()), { field: null }, 'must be a list, not null'],
    ['a broken number', z.int(), { field: 1.5 }, 'must be a whole number, not 1.5'],
    ['too small a number', z.int().min(1_000), { field: -1 }, 'must be at least 1000'],
    ['too long a text', z.string().max(3), { field: 'long' }, 'must have at most 3 characters'],
    ['an empty list', z.array(z.string()).min(1), { field: [] }, 'must have at least 1 entry'],
    ['none of the values', z.enum(['html', 'text']), { field: 'pdf' }, 'must be one of "html", "text"'],
    ['a number out of range', z.number(), { field: Infinity }, 'must be a number, not Infinity'],
    [
      'none of several types',
      z.union([z.string(), z.strictObject({ top: z.string() })]),
      { field: 5 },
      'must be a string, not a number, or must be an object, not a number',
    ],
    ['words of the schema', z.string().min(1, 'Give a URL.'), { field: '' }, 'Give a URL.'],
  ])('says it of %s', (_what, schema, value, message) => {
    expect(messageOf(schema, value)).toBe(message);
  });

  it('parts what is said of several fields', () => {
    const schema = z.object({ url: z.string(), limit: z.int() });
    expect(() => validate(schema, {})).toThrow(
      'The request is invalid. url: is missing; it must be a string; limit: is missing; it must be a number',
    );
  });
});
