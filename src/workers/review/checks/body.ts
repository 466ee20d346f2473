import { withoutFragment } from '../../addresses/without-fragment.ts';
import { at, type Check } from './check.ts';

/** Flesch's "difficult" begins below 50, "very difficult" below 30. */
const hardestEase = 30;
const fileName =
  /\.(jpe?g|png|gif|webp|avif|svg|bmp|tiff?|heic)$|^(img|dscn?|image|photo|picture|pxl|screenshot)[-_ ]?\d[\d_-]*$/i;
const sayingNothing = /^(image|img|picture|photo|graphic|alt|alt text|untitled|placeholder|null|undefined)$/i;
const isNoDescription = (text: string) => fileName.test(text.trim()) || sayingNothing.test(text.trim());

/** What stands on the page: headings, text, images, links. */
export const bodyChecks: readonly Check[] = [
  {
    id: 'h1-missing',
    category: 'content',
    severity: 'moderate',
    title: 'The page has no main heading',
    passed: 'The page has a main heading',
    description: 'The h1 says to readers, screen readers and search engines what the page is about.',
    fix: 'Make the main heading an <h1>.',
    find: ({ page: { headings, url } }) =>
      headings.some(({ level, text }) => level === 1 && text !== '') ? [] : [{ url }],
  },
  {
    id: 'h1-several',
    category: 'content',
    severity: 'minor',
    title: 'The page has several main headings',
    passed: 'The page has one main heading at most',
    description: 'With several h1 it is not clear which one names the page.',
    fix: 'Keep one <h1>, and make the others <h2>.',
    find: ({ page: { headings } }) => {
      const main = headings.filter(({ level }) => level === 1);
      return main.length < 2 ? [] : main.map((one) => ({ ...at(one), value: one.text }));
    },
  },
  {
    id: 'heading-skipped',
    category: 'content',
    severity: 'minor',
    title: 'Headings leave out a level',
    passed: 'Headings follow each other level by level',
    description: 'Who goes through a page by its headings looks for the one that is missing.',
    fix: 'Let an h2 follow an h1, and an h3 an h2; the size is for the style sheet.',
    find: ({ page: { headings } }) =>
      headings.length === 0
        ? null
        : headings.flatMap((one, index) => {
            const before = headings[index - 1]?.level ?? one.level;
            return one.level > before + 1
              ? [{ ...at(one), value: `h${one.level} after h${before}: ${one.text}` }]
              : [];
          }),
  },
  {
    id: 'heading-empty',
    category: 'content',
    severity: 'minor',
    title: 'A heading is empty',
    passed: 'No heading is empty',
    description: 'Screen readers announce a heading, and then nothing.',
    fix: 'Give the heading its text, or make it no heading.',
    find: ({ page: { headings } }) =>
      headings.length === 0 ? null : headings.filter(({ text }) => text === '').map(at),
  },
  {
    id: 'hard-to-read',
    category: 'content',
    severity: 'minor',
    title: 'The text is very hard to read',
    passed: 'The text can be read without great effort',
    description: 'Long sentences of long words: texts of this kind are usually read by those who must.',
    fix: 'Cut sentences in two, and take shorter words.',
    find: ({ page: { readability } }) => {
      if (readability === null) return null;
      const { ease, formula } = readability;
      return ease < hardestEase ? [{ value: `reading ease ${ease} of 100 (${formula})` }] : [];
    },
  },
  {
    id: 'image-alternative-missing',
    category: 'content',
    severity: 'serious',
    title: 'Images have no alternative text',
    passed: 'Images have alternative texts',
    description: 'Who does not see the image learns nothing of it; neither does a search engine.',
    fix: 'Say in alt what the image shows; alt="" where it is decoration.',
    find: ({ page: { images } }) => {
      const shown = images.filter(({ isHidden }) => !isHidden);
      if (shown.length === 0) return null;
      return shown.filter(({ alt }) => alt === null).map((one) => ({ ...at(one), url: one.src || null }));
    },
  },
  {
    id: 'image-alternative-file-name',
    category: 'content',
    severity: 'minor',
    title: 'Alternative texts are names of files or placeholders',
    passed: 'Alternative texts are no names of files',
    description: '"IMG_1234.jpg" or "image" says nothing to somebody who does not see the image.',
    fix: 'Say in alt what the image shows.',
    find: ({ page: { images } }) => {
      const described = images.filter(({ alt }) => alt !== null && alt !== '');
      if (described.length === 0) return null;
      return described
        .filter(({ alt }) => isNoDescription(alt ?? ''))
        .map((one) => ({ ...at(one), value: one.alt }));
    },
  },
  {
    id: 'image-broken',
    category: 'content',
    severity: 'serious',
    title: 'Images are missing',
    passed: 'The images that were asked for are there',
    description: 'In their place readers see the sign for a broken image.',
    fix: 'Correct the addresses, or put the files back.',
    find: ({ page: { images }, probes }) => {
      if (images.length === 0) return null;
      const reasons = new Map(
        probes.images.filter(({ isBroken }) => isBroken).map((one) => [one.url, one.reason]),
      );
      return images
        .filter(({ isBroken, src }) => isBroken || reasons.has(src))
        .map((one) => ({ ...at(one), url: one.src, value: reasons.get(one.src) ?? 'no image came' }));
    },
  },
  {
    id: 'link-broken',
    category: 'content',
    severity: 'serious',
    title: 'Links lead nowhere',
    passed: 'The links that were tried lead somewhere',
    description: 'Of the links of the page some were tried; these do not answer with a page.',
    fix: 'Correct or remove these links.',
    find: ({ page: { links }, probes }) => {
      const unreadable = links.filter(({ url }) => url === '');
      if (probes.links.length + unreadable.length === 0) return null;
      const broken = probes.links
        .filter(({ isBroken }) => isBroken)
        .map(({ url, reason }) => {
          const link = links.find((one) => withoutFragment(one.url) === url);
          return { ...(link === undefined ? {} : at(link)), url, value: reason };
        });
      return [...broken, ...unreadable.map((one) => ({ ...at(one), value: 'this is no address' }))];
    },
  },
  {
    id: 'link-fragment-missing',
    category: 'content',
    severity: 'minor',
    title: 'Links lead to places that are not on the page',
    passed: 'Links within the page lead somewhere',
    description:
      'The link names an id after its #, and nothing on the page has this id: a click does nothing.',
    fix: 'Give the place its id, or correct the link.',
    find: ({ page: { deadFragments, links } }) => (links.length === 0 ? null : deadFragments),
  },
  {
    id: 'link-empty',
    category: 'content',
    severity: 'moderate',
    title: 'Links have no text',
    passed: 'Links have a text',
    description: 'Screen readers read their address out; nobody knows where they lead.',
    fix: 'Give each link a text, or its image an alt text.',
    find: ({ page: { links } }) =>
      links.length === 0
        ? null
        : links
            .filter(({ text, isHidden }) => text === '' && !isHidden)
            .map((one) => ({ ...at(one), url: one.url })),
  },
  {
    id: 'little-text',
    category: 'content',
    severity: 'minor',
    title: 'The page has next to no text',
    passed: 'The page has text',
    description: 'Search engines and readers of text alone find nothing here.',
    fix: 'Say in text what the page is about.',
    find: ({ page: { words } }) => (words >= 30 ? [] : [{ value: `${words} words` }]),
  },
];
