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
  limit: queryInteger({ min: 1, max: 100, default: 50 }).describe('Entries on one page.'),
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
      userId: z.uuid().nullable().describe('The user it concerns; null if that is not a known user.'),
      actorId: z.uuid().nullable().describe('Who did it; null for the operator, and if it is not known.'),
      keyId: z.uuid().nullable(),
      address: z
        .string()
        .nullable()
        .describe('Address from which the request came; null for the command line.'),
      details: z
        .record(z.string(), z.unknown())
        .nullable()
        .describe('Details of the action; never a secret.'),
    }),
  ),
  nextCursor,
});
