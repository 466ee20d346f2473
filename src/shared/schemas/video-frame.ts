import { z } from 'zod';

const frame = {
  timestampSeconds: z.number(),
  width: z.int().describe('In pixels.'),
  height: z.int().describe('In pixels.'),
  format: z.enum(['png', 'jpeg', 'webp']),
};

/** What the worker stores; the picture is the job's file of that name. */
export const storedFrame = z.object({ ...frame, fileName: z.string() });
export type StoredFrame = z.output<typeof storedFrame>;

export const frameFile = ({ fileName }: StoredFrame): string => fileName;

export const frameRecord = z.object({
  ...frame,
  imageUrl: z.string().describe('Signed link that an `<img>` can show until it expires.'),
});

export const frameWidth = z
  .preprocess(
    (value) => (typeof value === 'string' && /^[1-9]\d{1,4}$/.test(value) ? Number(value) : value),
    z
      .int({ error: ({ code }) => (code === 'invalid_type' ? 'must be a whole number' : undefined) })
      .min(16)
      .max(7_680)
      // zod does not tell the example of what it has transformed.
      .meta({ examples: [640] }),
  )
  .optional()
  .describe('Width in pixels; a wider frame is scaled down. Default: the width of the video.');
