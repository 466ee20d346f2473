import { at, type Check } from './check.ts';

/** What is no hash is ignored by browsers, as if it were not there. */
const isHash = (integrity: string) =>
  /(?:^|\s)sha(?:256|384|512)-[\w+/-]{43,88}={0,2}(?:\s|\?|$)/.test(integrity);

export const integrityChecks: readonly Check[] = [
  {
    id: 'integrity-missing',
    category: 'security',
    severity: 'moderate',
    title: 'Foreign scripts or styles are loaded unchecked',
    passed: 'Foreign scripts and styles are checked by their hash',
    description:
      'Who takes over the other server changes this page too. Subresource integrity refuses a changed file.',
    fix: 'Add integrity="sha384-…" and crossorigin="anonymous", or serve the files yourself.',
    learnMore: 'https://developer.mozilla.org/en-US/docs/Web/Security/Subresource_Integrity',
    find: ({ document, page }) => {
      const { origin } = new URL(document.url);
      const foreign = page.scripts.filter(
        ({ url }) => /^https?:/.test(url) && URL.parse(url)?.origin !== origin,
      );
      if (foreign.length === 0) return null;
      return foreign
        .filter(({ integrity }) => !isHash(integrity))
        .map((one) => ({ ...at(one), url: one.url }));
    },
  },
];
