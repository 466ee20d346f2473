import { z } from 'zod';

const pdfPapers = ['a3', 'a4', 'a5', 'a6', 'letter', 'legal', 'tabloid', 'ledger'] as const;
/** Of one document. */
export const mostSheets = 200;

const length = z
  .string()
  .regex(
    /^\d{1,4}(\.\d{1,3})?(px|cm|mm|in)$/,
    'A length is a number and its unit, e.g. 10mm, 1cm, 0.5in or 40px',
  )
  .meta({ examples: ['1cm'] });

const template = (what: string) =>
  z
    .string()
    .min(1)
    .max(10_000)
    .optional()
    .describe(
      `HTML of the ${what} of each sheet, which loads nothing and runs no script. Elements of the classes \`date\`, \`title\`, \`url\`, \`pageNumber\` and \`totalPages\` are filled in; its \`font-size\` is 9px where it names no other.`,
    )
    .meta({ examples: ['<p style="padding: 0 1cm">Page <span class="pageNumber"></span></p>'] });

const sheetsIn = (pages: string): number =>
  pages.split(',').reduce((sum, part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return first < 1 || last < first ? Number.NaN : sum + last - first + 1;
  }, 0);

/** How a pdf is printed. */
export const pdfOptions = z
  .strictObject({
    paper: z
      .enum(pdfPapers)
      .optional()
      .describe('Default: the size that the page asks for with `@page`, or else A4.'),
    landscape: z.boolean().default(false),
    margin: z
      .union([
        length,
        z.strictObject({
          top: length.optional(),
          right: length.optional(),
          bottom: length.optional(),
          left: length.optional(),
        }),
      ])
      .optional()
      .describe(
        'One margin for all sides, or one per side; default 0, and 2cm where there is a `header` or `footer`.',
      ),
    scale: z.number().min(0.1).max(2).default(1),
    background: z.boolean().default(true).describe('Prints background colours and images.'),
    header: template('head'),
    footer: template('foot'),
    pages: z
      .string()
      .max(500)
      .regex(/^\d{1,5}(-\d{1,5})?( ?, ?\d{1,5}(-\d{1,5})?)*$/, 'Sheets are numbers and ranges, e.g. 1-3, 5')
      .refine((pages) => sheetsIn(pages) <= mostSheets, {
        error: `Ranges rise from 1, and name ${mostSheets} sheets at most`,
        abort: true,
      })
      .optional()
      .describe(`The sheets that are kept, ${mostSheets} at most; default: all up to that number.`)
      .meta({ examples: ['1-3, 5'] }),
  })
  .describe('Options for the format `pdf`; ignored for other formats.')
  .meta({ examples: [{ paper: 'a5', margin: '1cm' }] });
export type PdfOptions = z.output<typeof pdfOptions>;
