import { findTitle } from '../page-facts.ts';
import { cardImages } from '../probe-site.ts';
import { at, type Check } from './check.ts';

/** Search engines show about so many characters. */
const longestTitle = 70;
const longestDescription = 200;
const shortestDescription = 50;
const socialNeeded = ['og:title', 'og:description', 'og:image'];

const languages = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** The language of a BCP 47 tag by its shortest code, such as `en` of `eng-GB`; null of what is no tag. */
function primary(tag: string | null): string | null {
  // `Intl` takes no extended languages, such as that of `zh-yue`.
  const plain = (tag ?? '').trim().replace(/^([a-z]{2,3})(?:-[a-z]{3}){1,3}(?![^-])/i, '$1');
  try {
    return new Intl.Locale(plain).language ?? 'und';
  } catch {
    return null;
  }
}
const hasName = (language: string) => languages.of(language) !== undefined;
/** Languages of three letters are many more than have a name here. */
const isLanguage = (code: string) => code.length === 3 || (code.length === 2 && hasName(code));
/** Codes for: undetermined, several, no language. */
const noOneLanguage = new Set(['und', 'mul', 'zxx']);
/** Languages that a detector cannot tell from each other in a short text. */
const alike = [
  ['no', 'nb', 'nn', 'da'],
  ['hr', 'sr', 'bs', 'sl', 'sh'],
  ['id', 'ms'],
  ['cs', 'sk'],
  ['ru', 'uk', 'be', 'bg', 'mk'],
  ['es', 'gl', 'ca'],
  ['pt', 'gl'],
  ['de', 'gsw', 'nds', 'lb'],
  ['nl', 'af', 'fy'],
  ['zh', 'yue'],
];
const areAlike = (a: string, b: string) =>
  a === b || alike.some((group) => group.includes(a) && group.includes(b));

/** Title, description, language and cards: what others show of the page. */
export const headChecks: readonly Check[] = [
  {
    id: 'title-missing',
    category: 'content',
    severity: 'serious',
    title: 'The page has no title',
    passed: 'The page has a title',
    description: 'The title stands in the tab, in bookmarks and in search results.',
    fix: 'Add a <title> to the head that says what this page is about.',
    find: ({ page }) => (findTitle(page) === null ? [{ url: page.url }] : []),
  },
  {
    id: 'title-length',
    category: 'content',
    severity: 'minor',
    title: 'The title is too long to be shown whole',
    passed: 'The title can be shown whole',
    description: `Search results cut titles after some ${longestTitle} characters.`,
    fix: 'Say it shorter, with what is special about this page first.',
    find: ({ page }) => {
      const title = findTitle(page);
      if (title === null) return null;
      return title.length > longestTitle ? [{ value: `${title.length} characters: ${title}` }] : [];
    },
  },
  {
    id: 'title-duplicate',
    category: 'content',
    severity: 'moderate',
    title: 'The title is not the only one of its kind',
    passed: 'No other page was found with the title',
    description:
      'The document has several titles, or other pages of the site have the same: nobody can tell them apart.',
    fix: 'Give each page one title of its own.',
    find: ({ page, probes }) => {
      const title = findTitle(page);
      if (title === null) return null;
      const others = probes.neighbours.filter((one) => one.title === title);
      return [
        ...(page.titles.length > 1
          ? [{ value: `${page.titles.length} titles: ${page.titles.join(' / ')}` }]
          : []),
        ...others.map(({ url }) => ({ url, value: title })),
      ];
    },
  },
  {
    id: 'description-missing',
    category: 'content',
    severity: 'moderate',
    title: 'The page has no description',
    passed: 'The page has a description',
    description: 'Search engines show it below the title, where it fits what was asked.',
    fix: 'Add <meta name="description"> with one or two sentences about this page.',
    find: ({ page: { descriptions, url } }) =>
      descriptions.some((text) => text.trim() !== '') ? [] : [{ url }],
  },
  {
    id: 'description-several',
    category: 'content',
    severity: 'minor',
    title: 'The page has several descriptions',
    passed: 'The page has one description at most',
    description: 'Which one is shown is left to chance.',
    fix: 'Keep one <meta name="description">.',
    find: ({ page: { descriptions } }) => {
      const said = descriptions.filter((text) => text.trim() !== '');
      return said.length === 0 ? null : said.length > 1 ? said.map((value) => ({ value })) : [];
    },
  },
  {
    id: 'description-length',
    category: 'content',
    severity: 'minor',
    title: 'The description is too short or too long',
    passed: 'The description has a good length',
    description: `Search results show some ${shortestDescription} to ${longestDescription} characters.`,
    fix: 'Write one or two full sentences.',
    find: ({ page: { descriptions } }) => {
      const text = descriptions.find((one) => one.trim() !== '')?.trim();
      if (text === undefined) return null;
      const fits = text.length >= shortestDescription && text.length <= longestDescription;
      return fits ? [] : [{ value: `${text.length} characters: ${text}` }];
    },
  },
  {
    id: 'language-missing',
    category: 'content',
    severity: 'moderate',
    title: 'The page does not say its language',
    passed: 'The page says its language',
    description: 'Screen readers choose their voice by it, browsers offer translations.',
    fix: 'Name it on the root element: <html lang="en">.',
    find: ({ page: { lang, url } }) => ((lang ?? '').trim() === '' ? [{ url }] : []),
  },
  {
    id: 'language-invalid',
    category: 'content',
    severity: 'moderate',
    title: 'The declared language is none',
    passed: 'The declared language is one',
    description: 'What is no language tag is ignored: screen readers and browsers are left to guess.',
    fix: 'Use a language tag of BCP 47, such as en or pt-BR.',
    find: ({ page: { lang } }) => {
      if ((lang ?? '').trim() === '') return null;
      const declared = primary(lang);
      return declared !== null && isLanguage(declared) ? [] : [{ selector: 'html', value: `lang="${lang}"` }];
    },
  },
  {
    id: 'language-mismatch',
    category: 'content',
    severity: 'serious',
    title: 'The text is in another language than declared',
    passed: 'The text is in the declared language',
    description: 'A screen reader reads it with the wrong voice, and it is offered to the wrong readers.',
    fix: 'Correct the lang attribute of <html>; mark passages in other languages with their own.',
    find: ({ page: { textLang, language } }) => {
      const declared = primary(textLang);
      if (declared === null || language === null || !hasName(declared) || noOneLanguage.has(declared))
        return null;
      return areAlike(declared, primary(language) ?? language)
        ? []
        : [{ selector: 'html', value: `lang="${textLang}", the text is ${language}` }];
    },
  },
  {
    id: 'social-card-incomplete',
    category: 'content',
    severity: 'minor',
    title: 'Shared links have no full card',
    passed: 'Shared links have a card',
    description: 'Messengers and networks show title, text and picture of a link from these tags.',
    fix: 'Add the missing <meta property="og:…"> tags.',
    find: ({ page: { social }, document: { url }, probes }) => {
      const present = new Set(
        social.filter(({ content }) => content.trim() !== '').map(({ property }) => property),
      );
      const missing = socialNeeded.filter(
        (name) => !present.has(name) && !present.has(name.replace('og:', 'twitter:')),
      );
      const pictures = new Set(cardImages({ social }, url));
      const broken = probes.images.filter((one) => one.isBroken && pictures.has(one.url));
      return [
        ...missing.map((name) => ({ value: `${name} is missing` })),
        ...broken.map((one) => ({ url: one.url, value: `its picture: ${one.reason}` })),
      ];
    },
  },
  {
    id: 'structured-data-invalid',
    category: 'content',
    severity: 'moderate',
    title: 'Structured data cannot be read',
    passed: 'Structured data can be read',
    description: 'Search engines leave out JSON-LD that does not parse, and with it the richer result.',
    fix: 'Correct the JSON; give each entry an @type.',
    find: ({ page: { jsonLd } }) =>
      jsonLd.length === 0
        ? null
        : jsonLd.flatMap((one) => (one.problem === null ? [] : [{ ...at(one), value: one.problem }])),
  },
];
