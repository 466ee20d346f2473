import type { PageSetup } from '../browser/page-setup.ts';

/** The options of a request that say how its page is asked for. */
export interface PageRequest {
  url: string;
  headers?: Record<string, string> | undefined;
  cookies?: Record<string, string> | undefined;
  userAgent?: string | undefined;
  locale?: string | undefined;
  verifyTls: boolean;
}

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
