import { z } from 'zod';
import { transportHeaders } from '../transport-headers.ts';
import { boundedRecord } from './bounded-record.ts';

const tokenPattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const fieldValuePattern = /^[\t\x20-\x7e\x80-\xff]*$/;

/** A client has `cookies` for the last; of `Cookie2` and all that begins with `Proxy-` a browser makes a failed request. */
const reservedHeaders: ReadonlySet<string> = new Set([...transportHeaders, 'cookie2', 'cookie']);
const reservedBeginning = 'proxy-';

const inAnyCase = (name: string) =>
  name.replaceAll(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);
const reservedPattern = `^(?:(?:${[...reservedHeaders].map(inAnyCase).join('|')})$|${inAnyCase(reservedBeginning)})`;

const isReserved = (name: string) => reservedHeaders.has(name) || name.startsWith(reservedBeginning);

/** Text of a URL; whether it can be a target is the egress rules' word. */
export const targetUrl = z
  .string()
  .min(1, 'Give the absolute URL of a page, e.g. https://example.com/')
  .max(8_192, 'A URL is at most 8,192 characters.')
  .describe('Absolute http or https URL of the page, at most 8,192 characters, without credentials.')
  .meta({ examples: ['https://example.com/'], pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^/?#\\\\\\s]' });

const mostEntries = 50;

const headerRecord = boundedRecord(
  mostEntries,
  'headers',
  z
    .record(
      z
        .string()
        .regex(tokenPattern, 'A header name has letters, digits and - only')
        .refine((name) => !isReserved(name.toLowerCase()), {
          error: (issue) =>
            `The header ${String(issue.input)} is set by the service and cannot be given${String(issue.input).toLowerCase() === 'cookie' ? '; use `cookies`' : ''}`,
        })
        .meta({ not: { pattern: reservedPattern } }),
      z
        .string()
        .max(8_192)
        .regex(fieldValuePattern, 'A header value has no line breaks and no control characters'),
    )
    .meta({ maxProperties: mostEntries, examples: [{ 'X-Preview': 'yes' }] }),
);

const cookieRecord = boundedRecord(
  mostEntries,
  'cookies',
  z
    .record(
      z.string().regex(tokenPattern, 'A cookie name has no spaces and no separators'),
      z
        .string()
        .max(4_096)
        .regex(
          /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/,
          'A cookie value has no spaces, quotes, commas, semicolons or backslashes; percent-encode them',
        ),
    )
    .meta({ maxProperties: mostEntries, examples: [{ theme: 'dark' }] }),
);

const waitFor = z
  .string()
  .min(1)
  .max(1_000)
  .refine(
    (text) => !/^\s*\d+\s*$/.test(text) || Number(text) <= 60_000,
    'A wait in milliseconds is at most 60000',
  )
  .describe(
    '`load`, `domcontentloaded`, `networkidle`, digits (milliseconds, at most 60000), or any other text: a CSS selector that must appear. Implies the browser.',
  )
  .meta({
    examples: ['networkidle', '#content'],
    not: { pattern: String.raw`^\s*0*(?:[1-9]\d{5,}|[7-9]\d{4}|6(?!0000\s*$)\d{4})\s*$` },
  });

/** Of a page load. */
export const defaultTimeoutMs = 30_000;

/** Options of every page-reading endpoint, with the fixed names and bounds. */
export const pageOptions = {
  timeout: z
    .int()
    .min(1_000)
    .max(120_000)
    .default(defaultTimeoutMs)
    .describe(
      'Time limit of the page load in milliseconds. With the default, a target that has not begun to answer after 10 seconds is given up; with any other value, the whole time is waited.',
    ),
  waitFor: waitFor.optional(),
  render: z
    .enum(['auto', 'browser', 'http'])
    .default('auto')
    .describe(
      '`http` reads the page plainly, `browser` renders it, `auto` renders it only where the page needs it. Where an error page (status 400 and above) leads on by a refresh, only the browser follows.',
    ),
  headers: headerRecord
    .optional()
    .describe(
      'Extra request headers; sent to the origin of `url` only, never to other origins of the page. Not those of the transport: Host, Cookie and Cookie2 (see `cookies`), Connection, Keep-Alive, Content-Length, Transfer-Encoding, TE, Trailer, Expect, Upgrade, and none that begins with `Proxy-`.',
    ),
  cookies: cookieRecord.optional().describe('Cookies by name; sent to the origin of `url` only.'),
  userAgent: z
    .string()
    .min(1)
    .max(1_000)
    .regex(fieldValuePattern, 'A user agent has no line breaks and no control characters')
    .optional()
    .describe('User-Agent header; default: the one of the current Chromium.')
    .meta({ examples: ['Mozilla/5.0 (compatible; ExampleBot/1.0)'] }),
  locale: z
    .string()
    .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/, 'A locale is a language tag, e.g. de or pt-BR')
    .optional()
    .describe('Language in which the page is requested, e.g. `de-CH`; default: en-US.')
    .meta({ examples: ['de-CH'] }),
  mobile: z.boolean().default(false).describe('Requests the page as the browser of a phone does.'),
  blockAds: z
    .boolean()
    .default(true)
    .describe('Blocks advertisements and trackers in the browser; plain HTTP loads none anyway.'),
  maxAge: z
    .int()
    .min(0)
    .max(86_400_000)
    .default(0)
    .describe(
      'Accepts a copy of the page from your own earlier requests that is at most this old, in milliseconds; `meta.cache` says whether one was used. A request with `headers` or `cookies` neither uses nor leaves a copy.',
    ),
  store: z
    .boolean()
    .default(true)
    .describe(
      'False keeps neither the page nor the request beyond the answer: no copy goes into the cache or the link index, and the request and the result of the job are deleted once the answer has been sent. After a 202, the result and its files stay available for 10 minutes.',
    ),
  verifyTls: z.boolean().default(true).describe('False accepts any certificate from the target.'),
};

const pageQuery = z.object({ url: targetUrl, ...pageOptions });

/** A page, and everything that a client can say about how it is loaded. */
export type PageQuery = z.output<typeof pageQuery>;

/** Picks the page's own part out of a request that asks for more. */
export function toPageQuery(input: PageQuery): PageQuery {
  return pageQuery.parse(input);
}

const { render: _render, maxAge: _maxAge, ...loading } = pageOptions;
/** Those of an operation that always takes a browser, and a fresh page. */
export const browserPageOptions = loading;

/** One hop on the way to the page. */
export const redirectHop = z.object({
  url: z.string().describe('The URL that redirected.'),
  status: z.int().describe('HTTP status of the redirect, e.g. 301.'),
  location: z.string().describe('The absolute URL it led to.'),
});
export type RedirectHop = z.output<typeof redirectHop>;
