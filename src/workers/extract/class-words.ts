import type { Element } from 'domhandler';

/**
 * What the names that authors give their elements (class, id, role, itemprop) say about them: words in common use
 * on the web, none of them of one site.
 */
const wordGroups = {
  content:
    'main content contents article post entry body story text prose markdown page blog hentry copy richtext rte wysiwyg articlebody postbody longform',
  comment: 'comment comments commentlist disqus replies reply respond responses feedback',
  nav: 'nav navbar navigation menu menus submenu breadcrumb breadcrumbs crumbs pagination pager paging skip sitemap toc',
  header: 'header masthead topbar banner hero top',
  footer: 'footer foot bottom colophon copyright legal disclaimer',
  side: 'sidebar side aside rail widget widgets secondary complementary right left',
  related:
    'related recommended recommendation recommendations recirc suggested suggestions similar more trending popular latest also readmore next prev previous teaser teasers upsell crosssell upsells recent',
  share: 'share sharing shares social follow sns sharebar facebook twitter whatsapp linkedin',
  ad: 'ad ads advert advertisement adverts sponsor sponsored promo promos promotion promoted affiliate dfp gpt adslot commercial',
  form: 'newsletter subscribe subscription signup login signin form search cta register paywall donate contact mailing optin',
  popup:
    'modal popup overlay cookie cookies consent gdpr dialog toast lightbox notification alert tooltip drawer offcanvas flyout',
  meta: 'meta metadata byline date time timestamp published posted info kicker eyebrow label labels badge dateline',
  author: 'author authors bio about writer contributor profile',
  tags: 'tag tags category categories topic topics keywords',
  media:
    'caption credit figure gallery image images photo photos video player media slideshow thumbnail thumb wp-caption',
  carousel: 'carousel slider swiper slick slide slides',
  product:
    'product products price prices cart sku buy shop availability stock variant variants qty quantity shipping woocommerce checkout wishlist swatch',
  rating: 'rating ratings review reviews stars testimonial testimonials score',
  list: 'list grid card cards item items results result collection feed archive row tile tiles listing listings loop',
  filter: 'filter filters facet facets sort sorting refine toolbar options select dropdown',
  hidden: 'hidden sr visually hide collapsed invisible screen reader offscreen noprint collapse',
  title: 'title headline heading subtitle',
  lead: 'dek standfirst summary excerpt lead intro description desc deck abstract',
  docs: 'docs documentation doc api code highlight reference snippet example',
  thread: 'thread forum message messages question answer answers topic posts discussion conversation',
  user: 'user username avatar signature vote votes votecell karma points member',
  faq: 'faq faqs accordion question tab tabs panel tabpanel details',
  code: 'pre code highlight codeblock',
  legal: 'terms privacy policy',
} as const;

export type WordGroup = keyof typeof wordGroups;
export const groupNames = Object.keys(wordGroups) as WordGroup[];
export const groupIndex = Object.fromEntries(groupNames.map((name, index) => [name, index])) as Record<
  WordGroup,
  number
>;

const groupsByWord = new Map<string, number>();
for (const [index, name] of groupNames.entries()) {
  for (const word of wordGroups[name].split(' ')) {
    groupsByWord.set(word, (groupsByWord.get(word) ?? 0) | (1 << index));
  }
}

const namedBy = ['class', 'id', 'role', 'itemprop', 'data-testid', 'aria-label', 'data-component'] as const;
const longestName = 300;

/** Groups as bits, of the words in those attributes; one look-up a distinct text: a page repeats its class names. */
export function createNameReader(from: readonly string[] = namedBy): (element: Element) => number {
  const known = new Map<string, number>();
  return ({ attribs }) => {
    let bits = 0;
    for (const attribute of from) {
      const text = attribs[attribute];
      if (text === undefined || text === '' || typeof text !== 'string') continue;
      let found = known.get(text);
      if (found === undefined) known.set(text, (found = readName(text)));
      bits |= found;
    }
    return bits;
  };
}

function readName(text: string): number {
  let bits = 0;
  const words = text
    .slice(0, longestName)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    // Prism's frame of code is no bar of tools.
    .replace(/\bcode-toolbar\b/g, 'code')
    .split(/[^a-z]+/);
  for (const word of words) bits |= groupsByWord.get(word) ?? 0;
  return bits;
}
