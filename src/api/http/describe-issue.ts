import type { z } from 'zod';

const nameOf: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return nameOf[typeof value] ?? typeof value;
}

const unitOf: Readonly<Record<string, string>> = { string: 'character', array: 'entry' };

function boundOf(origin: string, word: 'least' | 'most', limit: number | bigint): string {
  const unit = unitOf[origin];
  if (unit === undefined) return `must be at ${word} ${limit}`;
  const units = unit === 'entry' ? 'entries' : `${unit}s`;
  return `must have at ${word} ${limit} ${Number(limit) === 1 ? unit : units}`;
}

/**
 * What is wrong with a field, and what it must be, where its schema does not say it in words of its own.
 * @returns undefined where zod's own words do.
 */
export function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type': {
      const expected = nameOf[issue.expected] ?? issue.expected;
      if (issue.input === undefined) return `is missing; it must be ${expected}`;
      const isNumber = typeof issue.input === 'number' && /^(?:int|number)$/.test(issue.expected);
      const got = isNumber ? String(issue.input) : kindOf(issue.input);
      return `must be ${expected}, not ${got}`;
    }
    case 'invalid_value': {
      const values = issue.values.map((value) => JSON.stringify(value)).join(', ');
      return issue.values.length === 1 ? `must be ${values}` : `must be one of ${values}`;
    }
    case 'invalid_union': {
      const ways = issue.errors.map(([first]) => first?.message).filter((message) => message !== undefined);
      return ways.length > 0 ? [...new Set(ways)].join(', or ') : undefined;
    }
    case 'too_small':
      return issue.inclusive === false || issue.exact
        ? undefined
        : boundOf(issue.origin, 'least', issue.minimum);
    case 'too_big':
      return issue.inclusive === false || issue.exact
        ? undefined
        : boundOf(issue.origin, 'most', issue.maximum);
    default:
      return undefined;
  }
}
