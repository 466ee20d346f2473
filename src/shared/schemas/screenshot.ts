import { z } from 'zod';
import { jobStatuses } from './job.ts';
import { pictureFormat } from './picture-options.ts';

/** The address of a page that the request brought itself, as its `html`. */
export const inlinePageUrl = 'about:srcdoc';

const picture = {
  finalUrl: z.string().describe('After redirects.'),
  statusCode: z.int().nullable().describe('The HTTP status of the target; null for `html`.'),
  title: z.string(),
  format: pictureFormat,
  width: z.int().describe('Width of the image in pixels; of a pdf, of its first page in CSS pixels.'),
  height: z.int().describe('Height of the image in pixels; of a pdf, of its first page in CSS pixels.'),
  bytes: z.int().describe('Size of the image in bytes.'),
  sha256: z.string().describe('SHA-256 of the image, hexadecimal.'),
  truncated: z.boolean().describe('True if the page is longer than the image.'),
};

/** What the worker stores; links are minted when an answer is made. */
export const storedScreenshot = z.object(picture);

/** The name of the picture's file. */
export const screenshotFile = ({ format }: { format: z.output<typeof pictureFormat> }) =>
  `screenshot.${format}`;

type Shown = Parameters<typeof screenshotFile>[0];

/** A client that asks for an image gets the one that it asked to be made, whatever its format; a pdf is none. */
export const screenshotRepresentations = {
  'image/*': {
    file: (shown: Shown) => (shown.format === 'pdf' ? null : screenshotFile(shown)),
    idHeader: 'X-Screenshot-Id',
    fits: ({ format }: Shown) => format !== 'pdf',
  },
  'application/pdf': {
    file: (shown: Shown) => (shown.format === 'pdf' ? screenshotFile(shown) : null),
    idHeader: 'X-Screenshot-Id',
    fits: ({ format }: Shown) => format === 'pdf',
  },
} as const;

/** What the client sees. Until the job has succeeded, everything that the picture would tell is null. */
export const screenshotRecord = z.object({
  id: z.uuid().describe("The job's id."),
  status: z.enum(jobStatuses),
  url: z.string().describe(`\`${inlinePageUrl}\` where the request brought its \`html\`.`),
  finalUrl: picture.finalUrl.nullable(),
  statusCode: picture.statusCode,
  title: picture.title.nullable(),
  format: pictureFormat,
  width: picture.width.nullable(),
  height: picture.height.nullable(),
  bytes: picture.bytes.nullable(),
  sha256: picture.sha256.nullable(),
  imageUrl: z
    .string()
    .nullable()
    .describe('Signed link that an `<img>` (for a pdf: a browser) can show until it expires.'),
  thumbnailUrl: z
    .string()
    .nullable()
    .describe(
      'Signed link to a small WebP of the top of the picture; null for a pdf and for the screenshot of a review.',
    ),
  truncated: picture.truncated.nullable(),
  options: z
    .record(z.string(), z.unknown())
    .describe('The request with its defaults, without headers, cookies and `html`.'),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
});
