import { z } from 'zod';
import { cursor, nextCursor } from './page-cursor.ts';
import { queryInteger } from './query-integer.ts';

const id = (what: string) =>
  z
    .uuid()
    .optional()
    .describe(what)
    .meta({ examples: ['0197f3c2-8d3a-7c41-b6f2-2f3f1d0a9e55'] });

export const auditPage = {
  limit: queryInteger({ min: 1, max: 100, default: 50 }).describe('Entries of a page.'),
  cursor,
};

export const auditUserId = id('Only what concerns this user.');

/** Newest first. */
export const auditEntries = z.object({
  entries: z.array(
    z.object({
      id: z.uuid(),
      at: z.iso.datetime(),
      action: z.string().describe('E.g. `key.rotated`, `license.granted`, `sign-in.failed`.'),
      userId: z.uuid().nullable().describe('Whom it concerns; null: no known user.'),
      actorId: z.uuid().nullable().describe('Who did it; null: the operator, or nobody who is known.'),
      keyId: z.uuid().nullable(),
      address: z.string().nullable().describe('Where the request came from; null: the command line.'),
      details: z.record(z.string(), z.unknown()).nullable().describe('Never a secret.'),
    }),
  ),
  nextCursor,
});
