import type { PageFacts } from './page-facts.ts';
import { collapse, textOf } from './page-facts.ts';
import { bare, siteNames } from './site-name.ts';

const separator = /\s+[|\-–—·•»«:~/\\]+\s+|\s*[|｜»·•]\s*|\s+::\s+|:\s+/g;
/** What stands before or behind marks that titles have of their own too. */
const [markedStart, markedEnd] = [
  /^([^›‹⋆★←→@＿]{2,100})(?:\s[›‹⋆★←→@]+\s|＿)/u,
  /(?:\s[›‹⋆★←→@]+\s|＿)([^›‹⋆★←→@＿]{2,100})$/u,
];
/** What stands in brackets at an end. */
const bracketed =
  /^[([【（［]([^()[\]]{2,100})[)\]】）］]\s+(?=\S)|\s+[([【（［]([^()[\]]{2,100})[)\]】）］]$/;
/** Behind what is written without spaces, a mark without them sets the site's name apart. */
const unspacedEnd =
  /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{P}\p{N}])[_-]([^_-]{2,60})$/u;
const withoutSpaces =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー][\p{P}\p{N}]{0,9}$/u;
/** The name of the site alone, behind a dash without spaces or as a sentence. */
const closeEnds = [/[—–]([^—–]{2,100})$/u, /(?:\.|(?<=[!?…]))\s([^.!?…]{2,100})$/u];
/** A writer's page, as content systems call it. */
const writersPage = /^(.{2,100}), Author at (.{2,100})$/i;
/** How much is new, which a page counts in its title; a larger number is part of a name. */
const counted = /^\(\d{1,2}\+?\)\s+(?=\S)/;
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

/** Without the whole name of the site where it stands in brackets, beside such a mark or behind one without spaces. */
function withoutEnd(title: string, names: readonly string[], isHome: boolean): string {
  const [, writer, site] = writersPage.exec(title) ?? [];
  if (writer !== undefined && names.includes(bare(site ?? ''))) return writer;
  for (const form of [bracketed, markedEnd, unspacedEnd, ...closeEnds, markedStart]) {
    const [whole, first, last] = form.exec(title) ?? [];
    if (isHome && whole !== undefined && title.startsWith(whole)) continue;
    if (whole !== undefined && names.includes(bare(first ?? last ?? '')))
      return title.replace(whole, '').trim();
  }
  return title;
}

/**
 * Without the name of the site at its end or, unless it is the home page's subject, its beginning.
 * @param cutsAtBar behind a bar stands what is beside the title: a site, a section, a slogan.
 */
function withoutSiteName(
  title: string,
  names: readonly string[],
  { isHome, cutsAtBar }: { isHome: boolean; cutsAtBar: boolean },
): string {
  const { parts, marks } = split(withoutEnd(collapse(title).slice(0, longest), names, isHome));
  let [first, last] = [0, parts.length - 1];
  const bar = cutsAtBar ? marks.findIndex((mark) => mark.includes('|')) : -1;
  if (bar >= 0 && !isSiteName(parts.slice(0, bar + 1).join(' '), names)) last = bar;
  while (last > first && isSiteName(parts[last] ?? '', names)) last--;
  if (!isHome && (last === parts.length - 1 || bar >= 0)) {
    while (first < last && isSiteName(parts[first] ?? '', names)) first++;
  }
  let text = parts[first] ?? '';
  for (let i = first + 1; i <= last; i++) text += (marks[i - 1] ?? ' ') + (parts[i] ?? '');
  return text.replace(/\s[\s|\-–—·•»«:~/\\⋆★]+$/u, '').trim();
}

/** What programs put for a title where nobody gave one. */
const noTitle =
  /^(?:untitled(?: document| page)?|unbenannt(?:es dokument)?|sans titre|sin título|senza titolo|no title|new page|document|(?:react|vite) app)$/i;
/** The front page of a site, or of it in a language, which the site's name may be the title of. */
const isFront = (url: string): boolean =>
  /^\/(?:[a-z]{2}(?:[-_][a-z]{2})?\/?)?(?:(?:index|home|default)(?:\.\w{2,5})?\/?)?$/i.test(
    URL.parse(url)?.pathname ?? '',
  );

const works = /Article$|BlogPosting$|Posting$|^Product$|^Recipe$|^Question$/;

/**
 * The title of the page's content, without the site's name: the heading that the page's own title repeats or its
 * address spells, else that title, cleaned.
 */
export function findTitle(facts: PageFacts, url: string): string | null {
  const names = siteNames(facts, url);
  const isHome = URL.parse(url)?.pathname === '/';
  const headings = facts.headings
    .filter(({ level }) => level === 1)
    .slice(0, 20)
    .map(({ element }) => textOf(element, longest).replace(/\s*[¶#§🔗]$/u, ''))
    .filter((text) => text !== '' && !isSiteName(text, names));
  const headed = new Set(headings.map(bare));
  const isOfSite = (text: string): boolean => names.includes(bare(text)) && !isFront(url);
  const clean = (text: string | null | undefined): string | null => {
    if (text == null || (headings.length > 0 && (noTitle.test(text.trim()) || isOfSite(text)))) return null;
    const plain = withoutSiteName(text, names, { isHome, cutsAtBar: false });
    if (headed.has(bare(plain))) return plain || null;
    return withoutSiteName(text, names, { isHome, cutsAtBar: true }) || null;
  };
  const shown = headings.some((text) => counted.test(text))
    ? facts.title
    : (facts.title?.replace(counted, '') ?? null);
  const document = clean(isHome ? shown : withoutHost(shown, url, headings));
  const graph = clean(facts.meta.get('og:title') ?? facts.meta.get('twitter:title'));
  const headline = facts.things
    .filter(({ types }) => types.some((type) => works.test(type)))
    .map(({ value }) => value['headline'] ?? value['name'])
    .find((text) => typeof text === 'string' && text.trim() !== '') as string | undefined;
  const told = [graph, clean(headline), document].filter((text) => text !== null);
  const same = headings.filter((heading) => told.some((text) => isSame(heading, text)));
  const isNamed = (heading: string): boolean => facts.title !== null && isPart(heading, facts.title, names);
  const own = same.length > 0 || isFront(url) ? same : headings.filter(isNamed);
  // One may be the other with the section behind it.
  if (own.length > 0) {
    const heading = own.reduce((best, one) => (best.startsWith(one) ? one : best));
    // Where only marks differ: those of the heading may be drawn by its elements.
    const equal = told.find((text) => bare(text) === bare(heading)) ?? heading;
    return equal.length < heading.length ? heading : equal;
  }
  const named = isHome ? (document ?? graph) : (graph ?? document);
  const spelled = findSpelled(headings, named ?? '', url);
  return spelled ?? named ?? headings[0] ?? (headline === undefined ? facts.title : collapse(headline));
}

/** The host before a title, as pages without any mark between the two have it. */
function withoutHost(title: string | null, url: string, headings: readonly string[]): string | null {
  const host = URL.parse(url)?.hostname.replace(/^www\./, '') ?? '';
  const beginsWithIt = (text: string) => text.toLowerCase().startsWith(`${host} `);
  if (title === null || host === '' || !beginsWithIt(title) || headings.some(beginsWithIt)) return title;
  const rest = title.slice(host.length).trim();
  // In lower case it is the rest of a sentence about the host.
  return /^(?!\p{Ll})[\p{L}\p{N}]/u.test(rest) ? rest : title;
}

const leastLikeness = 0.7;

/** The heading that is more like the words of the page's address than its title is: addresses are made of titles. */
function findSpelled(headings: readonly string[], title: string, url: string): string | null {
  const path = URL.parse(url)?.pathname ?? '';
  const address = path
    .split('/')
    .map((part) => wordsOf(decode(part).replace(/\.\w{2,5}$/, '')).filter((word) => !isId.test(word)))
    .reduce((longer, part) => (part.length >= longer.length && part.length > 0 ? part : longer), []);
  let best: string | null = null;
  let most = Math.max(leastLikeness, likeness(wordsOf(title), address));
  for (const heading of headings) {
    const like = likeness(wordsOf(heading), address);
    if (like > most) [best, most] = [heading, like];
  }
  return best;
}

const isId = /^(?:\d{5,}|(?=.*\d)[0-9a-f]{6,})$/;

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replace(/['’‘]/g, '')
    .match(/[\p{L}\p{N}]+/gu)
    ?.slice(0, 60) ?? [];

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Words that two texts share (Dice), 0 to 1. */
function likeness(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return 0;
  const left = [...b];
  let shared = 0;
  for (const word of a) {
    const at = left.indexOf(word);
    if (at < 0) continue;
    left.splice(at, 1);
    shared++;
  }
  return (2 * shared) / (a.length + b.length);
}

/** Whether a heading is the title, or all of it that stands before a mark. */
function isSame(heading: string, title: string): boolean {
  const [own, told] = [bare(heading), bare(title)];
  if (own === told) return own !== '';
  return (
    heading.length >= 4 &&
    told.startsWith(own) &&
    (isUnspaced(heading, title) ||
      split(title).parts.some((_, n, parts) => bare(parts.slice(0, n + 1).join(' ')) === own))
  );
}

/** Whether marks without spaces stand behind a heading that is written without them, and no longer part behind them. */
function isUnspaced(heading: string, title: string): boolean {
  if (!title.startsWith(heading) || !withoutSpaces.test(heading)) return false;
  const rest = title.slice(heading.length);
  if (rest.startsWith('_')) return rest.split('_').every((part) => part.length <= heading.length);
  return rest.startsWith('-') && rest.length <= heading.length;
}

/** Letters and digits of a heading that may be a part of a title by itself. */
const leastPart = 8;

/**
 * Whether a heading is a part of a page's whole title, behind a section or the site's name. Where a title goes from the
 * part to the whole, what stands behind its first part is a section's: it counts only where that begins with the site's
 * name, has marks of the other order, or begins with one word, as a topic. Behind a colon it is a part of a sentence.
 */
function isPart(heading: string, title: string, names: readonly string[]): boolean {
  const own = bare(heading);
  if (own.length < leastPart) return false;
  const { parts, marks } = split(title.slice(0, longest));
  const [first = ''] = parts;
  const goesInward = isSiteName(first, names) || /[»/\\]/.test(marks.at(-1) ?? '');
  const hasTopic = !/\s/.test(first.trim());
  let run: string[] = [];
  return parts.some((part, n) => {
    run = marks[n - 1]?.includes(':') === true ? [...run, part] : [part];
    const isPlaced = n === 0 || goesInward || (n === 1 && hasTopic);
    const isWhole = n < marks.length ? marks[n]?.includes(':') === false : goesInward;
    return isPlaced && isWhole && bare(run.join(' ')) === own;
  });
}
