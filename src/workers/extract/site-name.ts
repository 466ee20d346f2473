import type { PageFacts } from './page-facts.ts';
import { collapse, isRecord } from './page-facts.ts';

const siteTypes = /^(?:WebSite|Organization|NewsMediaOrganization|Corporation|OnlineStore|LocalBusiness)$/;

const nameOf = (value: unknown): string | null =>
  isRecord(value) && typeof value['name'] === 'string' ? collapse(value['name']).slice(0, 200) || null : null;

/** The name of the site, as the page itself gives it. */
export function findSiteName(facts: PageFacts): string | null {
  const named = facts.meta.get('og:site_name') ?? facts.meta.get('application-name');
  if (named !== undefined && !/^https?:/.test(named)) return collapse(named).slice(0, 200) || null;
  for (const { types, value } of facts.things) {
    if (types.includes('WebSite') && nameOf(value) !== null) return nameOf(value);
  }
  for (const { value } of facts.things)
    if (nameOf(value['publisher']) !== null) return nameOf(value['publisher']);
  return null;
}

/** Everything that may stand for the site beside a title, in lower case without marks. */
export function siteNames(facts: PageFacts, url: string): string[] {
  const host = URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '') : '';
  const names = [findSiteName(facts), host, host.replace(/\.[^.]+$/, '')];
  for (const { types, value } of facts.things) {
    if (types.some((type) => siteTypes.test(type))) names.push(nameOf(value));
    names.push(nameOf(value['publisher']));
  }
  return [...new Set(names.flatMap((name) => (name ? [bare(name)] : [])).filter((name) => name.length > 1))];
}

/** Letters and digits only, in lower case. */
export const bare = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
