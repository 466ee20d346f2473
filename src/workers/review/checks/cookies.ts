import type { CookieFacts } from '../page-facts.ts';
import type { Check, SiteFacts } from './check.ts';

/** A cookie by which a person is known again. Tokens against forged requests are read by scripts on purpose. */
const isSession = ({ name }: CookieFacts) =>
  /sess|sid$|^sid|auth|jwt|token|login|logged|user|account|remember|^id$/i.test(name) &&
  !isReadOnPurpose(name);
const isReadOnPurpose = (name: string) => /csrf|xsrf/i.test(name);

/** Those of the page's own host, each once. The same name may be set several times, for several paths. */
function cookiesOf({ document, page }: SiteFacts): CookieFacts[] {
  const host = new URL(document.url).hostname;
  const isOwn = ({ domain }: CookieFacts) => {
    const bare = domain.replace(/^\./, '');
    return bare === '' || host === bare || host.endsWith(`.${bare}`);
  };
  const all = [...document.cookies, ...page.cookies].filter(isOwn);
  const keyOf = ({ name, isSecure, isHttpOnly, sameSite }: CookieFacts) =>
    `${name} ${isSecure} ${isHttpOnly} ${sameSite}`;
  return [...new Map(all.map((cookie) => [keyOf(cookie), cookie])).values()];
}

const shown = (cookies: CookieFacts[]) =>
  cookies.map(({ name, isSecure, isHttpOnly, sameSite }) => ({
    value: [
      name,
      isSecure ? 'Secure' : 'no Secure',
      isHttpOnly ? 'HttpOnly' : 'no HttpOnly',
      sameSite === null ? 'no SameSite' : `SameSite=${sameSite}`,
    ].join(', '),
  }));

export const cookieChecks: readonly Check[] = [
  {
    id: 'cookie-not-secure',
    category: 'security',
    severity: 'serious',
    title: 'Cookies are sent over plain HTTP too',
    passed: 'Cookies are sent over HTTPS only',
    description:
      'Without Secure a cookie goes with every HTTP request to the host, where anyone on the way reads it.',
    fix: 'Set these cookies with Secure.',
    find: (facts) => {
      const cookies = cookiesOf(facts);
      return cookies.length === 0 ? null : shown(cookies.filter(({ isSecure }) => !isSecure));
    },
  },
  {
    id: 'cookie-not-httponly',
    category: 'security',
    severity: 'serious',
    title: 'Scripts can read a session cookie',
    passed: 'Scripts cannot read session cookies',
    description: 'A smuggled script takes the session with it.',
    fix: 'Set cookies that sign people in with HttpOnly.',
    find: (facts) => {
      const cookies = cookiesOf(facts).filter(isSession);
      return cookies.length === 0 ? null : shown(cookies.filter(({ isHttpOnly }) => !isHttpOnly));
    },
  },
  {
    id: 'cookie-script-readable',
    category: 'security',
    severity: 'minor',
    title: 'Scripts can read cookies that the server sets',
    passed: 'Scripts cannot read the cookies that the server sets',
    description: 'A cookie that only the server needs is safe from smuggled scripts with HttpOnly.',
    fix: 'Set these cookies with HttpOnly, unless a script of yours reads them.',
    find: ({ document: { cookies } }) => {
      const others = cookies.filter((cookie) => !isSession(cookie) && !isReadOnPurpose(cookie.name));
      return others.length === 0 ? null : shown(others.filter(({ isHttpOnly }) => !isHttpOnly));
    },
  },
  {
    id: 'cookie-no-samesite',
    category: 'security',
    severity: 'moderate',
    title: 'Cookies go along with requests that other sites start',
    passed: 'Cookies stay out of requests that other sites start',
    description: 'SameSite keeps a cookie out of requests that other sites start (request forgery).',
    fix: 'Set these cookies with SameSite=Lax or Strict.',
    find: (facts) => {
      const cookies = cookiesOf(facts);
      const isOpen = ({ sameSite }: CookieFacts) => sameSite === null || sameSite === 'None';
      return cookies.length === 0 ? null : shown(cookies.filter(isOpen));
    },
  },
];

/** The cookies that an answer sets, without those that it deletes. @param setCookie its `Set-Cookie` headers, one a line. */
export function parseSetCookies(setCookie: string | undefined, host: string): CookieFacts[] {
  const lines = (setCookie ?? '').split('\n', 100).filter((line) => line.includes('='));
  return lines.flatMap((line) => {
    const [pair = '', ...rest] = line.split(';', 30).map((part) => part.trim());
    const attributes = new Map(
      rest.map((part) => {
        const [name = '', value = ''] = part.split('=', 2);
        return [name.trim().toLowerCase(), value.trim()] as const;
      }),
    );
    if (isOver(attributes)) return [];
    return {
      name: pair.slice(0, pair.indexOf('=')).slice(0, 200),
      domain: attributes.get('domain') ?? host,
      isSecure: attributes.has('secure'),
      isHttpOnly: attributes.has('httponly'),
      sameSite: sameSiteOf(attributes.get('samesite')),
    };
  });
}

/** Max-Age goes before Expires (RFC 6265, section 5.3). */
function isOver(attributes: ReadonlyMap<string, string>): boolean {
  const maxAge = attributes.get('max-age') ?? '';
  if (/^-?\d+$/.test(maxAge)) return Number(maxAge) <= 0;
  return Date.parse(attributes.get('expires') ?? '') <= Date.now();
}

/** Browsers ignore what is none of the three. */
function sameSiteOf(value = ''): string | null {
  return ['Strict', 'Lax', 'None'].find((one) => one.toLowerCase() === value.toLowerCase()) ?? null;
}
