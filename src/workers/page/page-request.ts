import type { PageQuery } from '../../shared/schemas/page-options.ts';
import type { PageSetup } from '../browser/page-setup.ts';

/** Of a page that is asked for, what its server is told, by whichever engine. Headers and cookies are for the first origin only. */
export type AskedPage = Partial<Pick<PageQuery, 'headers' | 'cookies' | 'userAgent' | 'locale' | 'mobile'>>;

/** The same with its address, whose device is told otherwise. */
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
