import { z } from 'zod';
import { redirectHop } from './page-options.ts';

const elementQuery = z.strictObject({
  selector: z
    .string()
    .min(1)
    .max(1_000)
    .describe('CSS selector.')
    .meta({ examples: ['h1'] }),
  attr: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('Name of an attribute; each match then carries its value.')
    .meta({ examples: ['href'] }),
});

/** What can be asked of a page that is scraped, beside what can be asked of every page. */
export const scrapeFields = {
  formats: z
    .array(z.enum(['html', 'text', 'links', 'metadata']))
    .min(1)
    .max(4)
    .default(['html'])
    .describe(
      '`html` is null unless it is asked for, `text` and `links` are present if they are; title and metadata always are.',
    ),
  elements: z
    .array(elementQuery)
    .min(1)
    .max(50)
    .optional()
    .describe('Elements to pick out of the page by CSS selectors.')
    .meta({ examples: [[{ selector: 'h1' }, { selector: 'a', attr: 'href' }]] }),
};

const pageLink = z.object({
  url: z.string().describe('Absolute, without its fragment.'),
  anchor: z.string().describe('Text of the link, or of the image in it.'),
  rel: z.string().describe('As written; empty if there is none.'),
});
export type PageLink = z.output<typeof pageLink>;

const pickedElement = z.object({
  text: z.string(),
  html: z.string().describe('The element itself, serialized.'),
  attributes: z.record(z.string(), z.string()),
  value: z
    .string()
    .nullable()
    .describe('Value of the attribute `attr`; null if the element does not have it, or none was asked for.'),
});

const pickedElements = z.object({
  selector: z.string(),
  attr: z.string().nullable(),
  count: z.int().describe('Elements that match; at most 1,000 are in `matches`.'),
  matches: z.array(pickedElement),
});
export type PickedElements = z.output<typeof pickedElements>;

const challengeVendors = [
  'akamai',
  'amazon',
  'anubis',
  'aws-waf',
  'cloudflare',
  'datadome',
  'ddos-guard',
  'f5',
  'google',
  'imperva',
  'kasada',
  'perimeterx',
  'radware',
  'siteground',
  'sucuri',
  'vercel',
  'wordfence',
] as const;

const blockedBy = z
  .object({ vendor: z.enum(challengeVendors) })
  .nullable()
  .describe('Set if a bot challenge came instead of the page.');
export type BlockedBy = z.output<typeof blockedBy>;

const pageMetadata = z.object({
  description: z.string().nullable(),
  canonical: z
    .string()
    .nullable()
    .describe(
      'Absolute canonical URL that the page names, in a Link header or its head; http or https, without a fragment.',
    ),
  language: z.string().nullable().describe('`<html lang>`, or else the Content-Language header.'),
  robots: z
    .string()
    .nullable()
    .describe('`<meta name=robots>`; several hold together, and are joined by commas.'),
  favicon: z
    .string()
    .nullable()
    .describe('Absolute URL of the first icon that the page names; null when it names none.'),
  openGraph: z
    .record(z.string(), z.string())
    .describe('`og:` properties without the prefix; the first value of each.'),
  twitter: z.record(z.string(), z.string()).describe('`twitter:` properties without the prefix.'),
  jsonLd: z.array(z.unknown()).describe('Each JSON-LD block that parses.'),
});
export type PageMetadata = z.output<typeof pageMetadata>;

export const scrapedPage = z.object({
  url: z.string().describe('As requested.'),
  finalUrl: z.string().describe('After redirects.'),
  statusCode: z.int().nullable().describe("The target's HTTP status."),
  html: z
    .string()
    .nullable()
    .describe(
      'The document: as sent (engine http; JSON, XML and plain text too), or after scripts have run, with what components show in their open shadow trees as `<template shadowrootmode>` and what frames show as `<section data-frame>` behind their elements (engine browser). Null where it was not asked for, and for a PDF.',
    ),
  title: z.string().nullable(),
  contentType: z.string().nullable(),
  charset: z.string().nullable().describe('Encoding that the body was decoded from; null for a PDF.'),
  headers: z.record(z.string(), z.string()).describe("The target's response headers, lower-case names."),
  metadata: pageMetadata.nullable().describe('Null if the body is not HTML.'),
  text: z
    .string()
    .optional()
    .describe(
      'What a reader sees or may open (closed `details`, panels behind tabs), one block a line: not what else the markup or a `style` attribute hides. Style sheets do not count. Of a PDF always, whatever was asked for.',
    ),
  links: z.array(pageLink).optional().describe('In the order of the page, each URL once.'),
  elements: z
    .array(pickedElements)
    .optional()
    .describe('One entry for each of the request, in the same order.'),
  redirects: z.array(redirectHop),
  engine: z.enum(['http', 'browser']),
  bytes: z
    .int()
    .describe('Bytes of the decoded body (http), or received for the page and all it loaded (browser).'),
  truncated: z.boolean().describe('True if the body ended early; `html` has what arrived.'),
  blocked: blockedBy,
});
