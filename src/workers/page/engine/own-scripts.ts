import type { PageScan } from './scan-page.ts';

/** Scripts of one page that are looked at. */
const mostScripts = 6;
/** Libraries, whose work hangs on who calls them; counters and the like. */
const foreignName =
  /(^|[/._-])(jquery|zepto|bootstrap|popper|modernizr|lodash|underscore|backbone|moment|react|react-dom|preact|vue|angular|ember|alpine|knockout|htmx|turbo|stimulus|d3|chart|three|gsap|swiper|slick|owl|lazysizes|polyfills?|vendors?|runtime|webpack|framework|analytics|gtag|gtm|tracking|recaptcha|emoji|wp-embed|wp-includes|cdn-cgi)([/._-]|$)/i;
/** Of the site's own, whatever it is made with: `vue-app.js`. */
const ownName = /[._-](app|main|site|page)(\.min)?\.m?js$/i;

const imported = /\bimport\b\s*(?:[\w*{}\s,$]{0,200}\bfrom\s*|\(\s*)?["']([^"'\n]{1,300})["']/g;

/** Scripts that a site has written itself, by their addresses: of the page's own origin, and no libraries by their names. */
export function findOwnScripts({ scriptSources, inlineScripts, head }: PageScan, url: string): string[] {
  const imports = inlineScripts.flatMap((text) =>
    [...text.matchAll(imported)].map(([, source = '']) => source),
  );
  return ownOf([...scriptSources, ...imports.filter(isAddress)], head.base, url).slice(0, mostScripts);
}

/** Modules of a script's own origin that it imports. */
export function findImports(text: string, address: string): string[] {
  const sources = [...text.matchAll(imported)].map(([, source = '']) => source);
  return ownOf(sources.filter(isAddress), address, address);
}

const isLibrary = (path: string): boolean => foreignName.test(path) && !ownName.test(path);

/** Bare names are resolved by an import map, and are those of libraries. */
const isAddress = (source: string): boolean => /^(\.{0,2}\/|https?:)/.test(source);

function ownOf(sources: readonly string[], from: string, url: string): string[] {
  const origin = URL.parse(url)?.origin;
  const own = sources
    .map((source) => URL.parse(source.trim(), from))
    .filter((address) => address?.origin === origin && !isLibrary(address?.pathname ?? ''))
    .map((address) => address?.href ?? '');
  return [...new Set(own)];
}
