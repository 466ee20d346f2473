import type { PageBlocks } from './blocks.ts';
import { groupIndex } from './class-words.ts';
import { holdsTalk } from './talk.ts';
import type { PageFacts } from './page-facts.ts';

/** Hints of what kind of page it is, as numbers that the block model weighs. */
export interface PageHints {
  article: number;
  product: number;
  forum: number;
  docs: number;
  list: number;
  service: number;
  question: number;
  recipe: number;
  faq: number;
  itemProduct: number;
  itemThread: number;
  itemArticle: number;
  /** What people say to each other is most of its text. */
  talk: number;
  itemMany: number;
  ogArticle: number;
  ogProduct: number;
  ogWebsite: number;
  pathDepth: number;
  pathDated: number;
  pathArticle: number;
  pathProduct: number;
  pathForum: number;
  /** It is one of a thread, which no page of another kind has. */
  pathThread: number;
  pathSold: number;
  pathDocs: number;
  pathList: number;
  pathQuery: number;
  slugWords: number;
  bodySingle: number;
  bodyList: number;
  bodyProduct: number;
  bodyHome: number;
  bodyForum: number;
  hasAuthor: number;
  hasDate: number;
}

const typeKinds: readonly (readonly [keyof PageHints, RegExp])[] = [
  ['article', /Article$|^BlogPosting$|^Report$|^Review$|^LiveBlogPosting$|^BackgroundNewsArticle$/],
  ['product', /^Product|^Offer$|^AggregateOffer$|^Vehicle$|^Book$/],
  ['forum', /^DiscussionForumPosting$|^Comment$|^Conversation$|^SocialMediaPosting$/],
  ['question', /^QAPage$|^Question$|^Answer$|^FAQPage$/],
  ['docs', /^TechArticle$|^APIReference$|^HowTo$|^SoftwareSourceCode$/],
  ['list', /^ItemList$|^CollectionPage$|^SearchResultsPage$|^OfferCatalog$|^Blog$/],
  ['service', /^Service$|LocalBusiness$|Business$|^ProfessionalService$|^Dentist$|^Physician$/],
  ['recipe', /^Recipe$/],
  ['faq', /^FAQPage$/],
];

/** So many items of a kind make the page a list of them. */
const few = 3;

const has = (text: string, pattern: RegExp): number => (pattern.test(text) ? 1 : 0);

export function readHints(facts: PageFacts, url: string, page: PageBlocks): PageHints {
  const counts: Partial<Record<keyof PageHints, number>> = {};
  for (const { types, depth } of facts.things) {
    for (const type of types) {
      const name = type.replace(/^.*[/#]/, '');
      for (const [kind, pattern] of typeKinds) {
        if (pattern.test(name)) counts[kind] = (counts[kind] ?? 0) + (depth === 0 ? 1 : 0.1);
      }
    }
  }
  const { pathname, search, hostname } = URL.canParse(url)
    ? new URL(url)
    : new URL('http://unknown.invalid/');
  const path = pathname.toLowerCase();
  const parts = path.split('/').filter((part) => part !== '');
  const place = `/${hostname.split('.')[0]}/${parts.join('/')}/`;
  const isTalking = holdsTalk(page);
  // A site of news shows talk on its first level, too.
  const isDeep = parts.length > 1 || /\d|[-_]/.test(path) || search === '' || !isTalking;
  const items = (...types: string[]): number =>
    types.reduce((sum, type) => sum + (facts.itemTypes.get(type) ?? 0), 0);
  const ogType = facts.meta.get('og:type')?.toLowerCase() ?? '';
  const names = facts.bodyClass.toLowerCase();
  return {
    article: counts.article ?? 0,
    product: counts.product ?? 0,
    forum: counts.forum ?? 0,
    docs: counts.docs ?? 0,
    list: counts.list ?? 0,
    service: counts.service ?? 0,
    question: counts.question ?? 0,
    recipe: counts.recipe ?? 0,
    faq: counts.faq ?? 0,
    itemProduct: Number(items('Product') === 1),
    itemThread: Number(items('DiscussionForumPosting', 'QAPage') >= 1),
    itemArticle: Number(items('Article', 'NewsArticle', 'BlogPosting') === 1),
    talk: Number(isTalking),
    itemMany: Number(items('Product') >= few || items('Article', 'NewsArticle', 'BlogPosting') >= few),
    ogArticle: has(ogType, /article|blog|news/),
    ogProduct: has(ogType, /product/),
    ogWebsite: has(ogType, /website/),
    pathDepth: parts.length,
    pathDated: has(
      path,
      /\/(?:19|20)\d\d[/-](?:0?[1-9]|1[0-2]|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6})\b/,
    ),
    pathArticle: has(
      isDeep ? place : `${path}/`,
      /\/(?:blog|news|articles?|stor(?:y|ies)|posts?|opinion|magazine|insights?|guides?)(?:\/|-\d|\.)/,
    ),
    pathProduct: has(place, /\/(?:products?|p|dp|item|shop|store|buy)(?:\/|-\d|\.)/),
    pathSold: has(
      path,
      /\/(?:products?|shop|store|services?|solutions?|pricing|collections?|categor(?:y|ies))(?:\/|$)/,
    ),
    pathForum: has(
      place,
      /\/(?:forums?|threads?|topics?|t|questions?|discussions?|community|viewtopic|showthread|comments)(?:\/|-\d|\.)/,
    ),
    pathThread: has(
      place,
      /\/(?:forums?|threads?|topics?|t|questions?|discussions?|viewtopic|showthread)(?:\/|-\d|\.)/,
    ),
    pathDocs: has(
      place,
      /\/(?:docs?|documentation|api|reference|manual|wiki|learn|developers?|help|tutorials?|handbook)(?:\/|-\d|\.)/,
    ),
    pathList: has(
      place,
      /\/(?:collections?|categor(?:y|ies)|c|tags?|search|archive|browse|list|listing|topics?|all)(?:\/|-\d|\.)/,
    ),
    pathQuery: search.length > 1 ? 1 : 0,
    slugWords: Math.max(0, ...parts.map((part) => part.split(/[-_]/).length)),
    bodySingle: has(names, /\bsingle|\bpost-template|\bnode-type-article|\barticle/),
    bodyList: has(names, /\barchive|\bcategory|\btax-|\bblog\b|\bcollection|\blisting|\bsearch/),
    bodyProduct: has(names, /\bproduct/),
    bodyHome: has(names, /\bhome\b|\bfront-?page|\bindex\b/) || (parts.length === 0 ? 1 : 0),
    bodyForum: has(names, /\bforum|\btopic|\bthread|\bquestion|\bdiscussion/),
    hasAuthor: facts.meta.has('author') || facts.meta.has('article:author') ? 1 : 0,
    hasDate: facts.meta.has('article:published_time') ? 1 : 0,
  };
}

/** Whether the page is one that somebody wrote and published at some time: an article, a post, a thread. */
export function isWritten(hints: PageHints): boolean {
  const isSold =
    hints.product >= 1 || hints.pathSold === 1 || (hints.itemProduct === 1 && hints.ogArticle === 0);
  if (hints.article < 1 && isSold) return false;
  if (hints.article + hints.ogArticle < 1 && hints.pathDocs === 1 && !isThread(hints)) return false;
  return (
    hints.article + hints.ogArticle + hints.pathDated + hints.pathArticle + hints.bodySingle + hints.recipe >=
      1 || isThread(hints)
  );
}

/**
 * Whether the page shows what there is, of a shop, a service or a section of a magazine: content systems call whatever
 * they store an article, and state the day on which it was stored.
 */
export function isOverview(hints: PageHints, url: string): boolean {
  return (hints.pathSold === 1 && hints.pathArticle + hints.pathDated === 0) || isIndex(hints, url);
}

/** Whether its address is that of all that a site has of a kind. */
export function isIndex(hints: PageHints, url: string): boolean {
  return (
    hints.article < 1 &&
    /\/(?:blog|news|articles|stories|posts|magazine|insights|guides)\/?$/i.test(
      URL.parse(url)?.pathname ?? '',
    )
  );
}

/** Whether something is for sale on it. An address like `/item?id=1` is one of anything: there a product or a price is named too. */
export function isForSale(hints: PageHints, page: PageBlocks): boolean {
  return statesGoods(hints) || (hints.pathProduct + hints.pathSold >= 1 && namesGoods(page));
}

/** Whether goods are sold on it; plans of a service have prices too, and are none. */
export const isShop = (hints: PageHints, page: PageBlocks): boolean =>
  statesGoods(hints) || (hints.pathProduct === 1 && namesGoods(page));

function namesGoods({ blocks, scopes }: PageBlocks): boolean {
  const product = 1 << groupIndex.product;
  return (
    scopes.some(({ names }) => (names & product) !== 0) ||
    blocks.some(({ innerNames }) => (innerNames & product) !== 0)
  );
}

const statesGoods = (hints: PageHints): boolean =>
  hints.product + hints.itemProduct + hints.ogProduct + hints.bodyProduct >= 1;

/** Whether it says of itself that it lists things. A page of one product may list what goes with it. */
export function isList(hints: PageHints): boolean {
  return hints.bodyList === 1 || (hints.list >= 1 && hints.product < 1);
}

/** Whether people talk with each other on it. Questions that a page answers itself are no thread. */
export function isThread(hints: PageHints): boolean {
  const isAsked = hints.question >= 1 && hints.faq === 0;
  // A magazine has a `community` too.
  const isArticle = hints.article + hints.docs + hints.itemArticle >= 1;
  const isAddressed = hints.pathThread === 1 || (hints.pathForum === 1 && !isArticle);
  return (
    hints.forum >= 1 || isAsked || isAddressed || hints.itemThread + hints.bodyForum >= 1 || isTalk(hints)
  );
}

/** Whether it is most of the page, which neither calls itself an article nor offers what buyers talk of. */
const isTalk = (hints: PageHints): boolean =>
  hints.talk === 1 &&
  hints.article + hints.ogArticle + hints.itemArticle + hints.pathArticle < 1 &&
  hints.pathDated + hints.bodySingle + hints.recipe < 1 &&
  !statesGoods(hints);
