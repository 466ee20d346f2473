import { z } from 'zod';
import { defineOperation } from '../../../../../src/shared/operation.ts';

/** Writes files, and tells of them; with a child in between, in two runs. */
export const files = defineOperation({
  id: 'test.files',
  summary: 'Write files',
  description: 'Writes files of random bytes, reads them back and answers what they are.',
  queue: 'http',
  route: { method: 'POST', path: '/api/proxy/test/v1/files' },
  timeoutMs: () => 300_000,
  representations: {
    'text/markdown': { text: ({ files: written }) => `# ${written.length} files\n` },
    'application/octet-stream': { file: ({ files: [first] }) => first?.name ?? null },
  },
  input: z.strictObject({
    sizesBytes: z.array(z.int().min(0)).max(100),
    /** Before the files are read back: the first of them is written again, with as many bytes. */
    again: z.boolean().default(false),
    /** Calls a child between writing and reading. */
    resumes: z.boolean().default(false),
    fail: z.boolean().default(false),
    /** Whether they are read back. */
    check: z.boolean().default(true),
    store: z.boolean().default(true),
  }),
  output: z.object({
    files: z.array(z.object({ name: z.string(), bytes: z.int(), sha256: z.string(), isWhole: z.boolean() })),
  }),
  errors: ['selector_not_found'],
});
