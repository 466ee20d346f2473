import { iso31661Alpha2ToNumeric } from 'iso-3166';
import { parse } from 'tldts';
import { z } from 'zod';

/** Where a figure comes from; every figure of an SEO answer has one, in place or in `coverage.figures`. */
const origin = {
  source: z.string().describe('The data set, index or provider.'),
  asOf: z.string().describe('The day that the figures describe, ISO 8601.'),
  method: z.string().describe('How the figure was obtained.'),
  confidence: z.enum(['high', 'medium', 'low']),
};

export const metric = z
  .object({ value: z.number(), ...origin })
  .nullable()
  .describe('Null if it is not known; `coverage.missing` says why.');
export type Metric = z.output<typeof metric>;

export const coverage = z
  .object({
    figures: z
      .array(
        z.object({
          figure: z.string().describe('A field of the answer, e.g. `totals.backlinks`.'),
          ...origin,
          share: z
            .number()
            .nullable()
            .describe('The figure according to this source, if several have one; else null.'),
        }),
      )
      .describe('Where the figures come from that do not name their own source.'),
    missing: z
      .array(
        z.object({
          figure: z.string(),
          reason: z.string().describe('Why it is not known.'),
          mend: z.string().nullable().describe('What an operator can do about it; null if nothing helps.'),
        }),
      )
      .describe('What is null or empty because it is not known, not because it is zero.'),
  })
  .describe('What the answer is based on, and what is missing.');
export type Coverage = z.output<typeof coverage>;

/** A registrable domain of what was given, or the reason why there is none. */
function readDomain(text: string): { domain: string } | { problem: string } {
  const given = text.trim();
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `http://${given}`);
  if (url === null || !/^https?:$/.test(url.protocol))
    return { problem: 'is not a domain. Give one such as example.com, or the URL of a page there.' };
  const { isIp, isPrivate, ...read } = parse(url.hostname, { allowPrivateDomains: true });
  // A suffix of a private registry, such as github.io, is somebody's domain too.
  const domain = isPrivate === true ? (read.domain ?? parse(url.hostname).domain) : read.domain;
  if (isIp === true) return { problem: 'is an address. Give a domain, such as example.com.' };
  if (domain === null) {
    return {
      problem: `names no registrable domain: ${JSON.stringify(url.hostname)} is a suffix or a single word. Give one such as example.com.`,
    };
  }
  return { domain };
}

/** The registrable domain, in ASCII; given as it is, as a URL, with subdomains or in Unicode. */
export const seoDomain = z
  .string()
  .min(1, { abort: true })
  .max(2_048, { abort: true })
  .superRefine((text, context) => {
    const read = readDomain(text);
    if ('problem' in read) context.addIssue({ code: 'custom', message: read.problem });
  })
  .describe(
    'A domain, e.g. `example.com`. A URL, `www.`, a subdomain and Unicode are accepted too; the figures are about the registrable domain.',
  )
  .meta({ examples: ['example.com'] });

/** @throws Error for what `seoDomain` refuses. */
export function registrableDomainOf(text: string): string {
  const read = readDomain(text);
  if ('problem' in read) throw new Error(read.problem);
  return read.domain;
}

export const keyword = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .overwrite((text) => text.replace(/\s+/g, ' '))
  .describe('As people type it into a search engine.')
  .meta({ examples: ['running shoes'] });

export const country = z
  .string()
  .regex(/^[A-Za-z]{2}$/, 'is not an ISO 3166-1 code of two letters. Example: US')
  .toUpperCase()
  .refine((code) => code in iso31661Alpha2ToNumeric, 'is not a country of ISO 3166-1. Example: US')
  .describe('Two-letter ISO 3166-1 code.')
  .meta({ examples: ['US'] });

export const language = z
  .string()
  .regex(/^[a-z]{2}$/, 'is not an ISO 639-1 code of two lower-case letters. Example: en')
  .describe('Two-letter ISO 639-1 code in lower case; default: the most spoken language of the country.')
  .meta({ examples: ['en'] });

/** A vendor's or an engine's failure, and what every SEO endpoint can answer beside. */
export const seoErrors = ['not_configured', 'upstream_failed'] as const;
