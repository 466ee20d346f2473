import type { PageQuery } from '../../shared/schemas/page-options.ts';
import type { PageSetup } from '../browser/page-setup.ts';

/** What the server of a page is told, by either engine. Headers and cookies are for the first origin only. */
export type AskedPage = Partial<Pick<PageQuery, 'headers' | 'cookies' | 'userAgent' | 'locale' | 'mobile'>>;

/** The same with the address; the device is given besides. */
export type PageRequest = Pick<PageQuery, 'url' | 'verifyTls'> & Omit<AskedPage, 'mobile'>;

export function toPageSetup(request: PageRequest): PageSetup {
  const { url, headers, cookies, userAgent, locale, verifyTls } = request;
  return {
    targetUrl: url,
    verifyTls,
    ...(headers === undefined ? {} : { headers }),
    ...(cookies === undefined
      ? {}
      : { cookies: Object.entries(cookies).map(([name, value]) => ({ name, value })) }),
    ...(userAgent === undefined ? {} : { userAgent }),
    ...(locale === undefined ? {} : { locale }),
  };
}
