import type { PageFacts } from './page-facts.ts';
import { collapse, textOf } from './page-facts.ts';
import { bare, siteNames } from './site-name.ts';

const separator = /\s+[|\-–—·•»«:~/\\]+\s+|\s*[|»·•]\s*|\s+::\s+|:\s+/g;
const longest = 500;

/** A title in its parts and what stands between them. */
function split(text: string): { parts: string[]; marks: string[] } {
  const parts: string[] = [];
  const marks: string[] = [];
  let from = 0;
  for (const match of text.matchAll(separator)) {
    parts.push(text.slice(from, match.index));
    marks.push(match[0]);
    from = match.index + match[0].length;
  }
  parts.push(text.slice(from));
  return { parts, marks };
}

const isSiteName = (part: string, names: readonly string[]): boolean => {
  const own = bare(part);
  return (
    own !== '' &&
    names.some(
      (name) =>
        name === own ||
        (own.length > 3 && name.includes(own)) ||
        (name.length > 2 && own.startsWith(name) && own.length < name.length + 14),
    )
  );
};

/** Without the name of the site at its end or its beginning. */
function withoutSiteName(title: string, names: readonly string[]): string {
  const { parts, marks } = split(collapse(title).slice(0, longest));
  let [first, last] = [0, parts.length - 1];
  // Behind a bar stands what is beside the title: a site, a section, a slogan.
  const bar = marks.findIndex((mark) => mark.includes('|'));
  if (bar >= 0 && !isSiteName(parts.slice(0, bar + 1).join(' '), names)) last = bar;
  while (last > first && isSiteName(parts[last] ?? '', names)) last--;
  if (last === parts.length - 1 || bar >= 0) {
    while (first < last && isSiteName(parts[first] ?? '', names)) first++;
  }
  let text = parts[first] ?? '';
  for (let i = first + 1; i <= last; i++) text += (marks[i - 1] ?? ' ') + (parts[i] ?? '');
  return text.trim();
}

/**
 * The title of the page's content, without the site's name: the heading that the page's own title repeats, else that
 * title, cleaned.
 */
export function findTitle(facts: PageFacts, url: string): string | null {
  const names = siteNames(facts, url);
  const clean = (text: string | null | undefined): string | null => {
    const plain = text == null ? '' : withoutSiteName(text, names);
    return plain === '' ? null : plain;
  };
  const document = clean(facts.title);
  const graph = clean(facts.meta.get('og:title') ?? facts.meta.get('twitter:title'));
  const headline = facts.things
    .filter(({ types }) =>
      types.some((type) => /Article$|BlogPosting$|Posting$|^Product$|^Recipe$|^Question$/.test(type)),
    )
    .map(({ value }) => value['headline'] ?? value['name'])
    .find((text) => typeof text === 'string' && text.trim() !== '') as string | undefined;
  const told = [graph, clean(headline), document].filter((text) => text !== null);
  const headings = facts.headings
    .filter(({ level }) => level === 1)
    .slice(0, 20)
    .map(({ element }) => textOf(element, longest).replace(/\s*[¶#§🔗]$/u, ''))
    .filter((text) => text !== '' && !isSiteName(text, names));
  const own = headings.find((heading) => told.some((text) => isSame(heading, text)));
  if (own !== undefined) return own;
  return graph ?? document ?? headings[0] ?? (headline === undefined ? facts.title : collapse(headline));
}

/** Whether a heading is the title, or all of it that stands before a mark. */
function isSame(heading: string, title: string): boolean {
  const [own, told] = [bare(heading), bare(title)];
  if (own === told) return own !== '';
  return (
    heading.length >= 4 &&
    told.startsWith(own) &&
    split(title).parts.some((_, n, parts) => bare(parts.slice(0, n + 1).join(' ')) === own)
  );
}
