import { z } from 'zod';

/** Its entries are counted before they are looked at: a body can hold many thousands. */
export function boundedRecord<Schema extends z.ZodType>(mostEntries: number, what: string, schema: Schema) {
  return z.preprocess((value, context) => {
    const count = typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
    if (count > mostEntries) context.addIssue(`At most ${mostEntries} ${what}`);
    // Zod's records leave it out without a word.
    if (count > 0 && Object.hasOwn(value as object, '__proto__'))
      context.addIssue(`__proto__ is no name for ${what}`);
    return value;
  }, schema);
}
