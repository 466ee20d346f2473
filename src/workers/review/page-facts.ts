/** Of an element: where it stands, and how it begins. */
export interface ElementLocation {
  selector: string;
  element: string;
}

export interface CollectedPage {
  url: string;
  /** Of the head; where it has none, the one that browsers take from elsewhere. */
  titles: string[];
  /** As the page names it; empty where that is no address, null where it names none. */
  canonical: string | null;
  descriptions: string[];
  /** The `lang` of the document; null where it has none. */
  lang: string | null;
  /** The `lang` that holds for most of the text. */
  textLang: string | null;
  generator: string | null;
  /** Of `<meta name="referrer">`. */
  referrerPolicy: string | null;
  /** Content-Security-Policies in `<meta>`. */
  metaPolicies: string[];
  social: { property: string; content: string }[];
  /** Without those that are hidden from screen readers. */
  headings: (ElementLocation & { level: number; text: string })[];
  /** Also what stands as one: areas, image buttons, `role="img"`. `alt` is null where nothing stands in its place. */
  images: (ElementLocation & { src: string; alt: string | null; isHidden: boolean; isBroken: boolean })[];
  /** `url` is empty where the address cannot be read. */
  links: (ElementLocation & { url: string; text: string; isHidden: boolean })[];
  /** Links within the page to what is not there. */
  deadFragments: (ElementLocation & { url: string })[];
  /** Scripts and style sheets that come from elsewhere. */
  scripts: (ElementLocation & { url: string; integrity: string; isStyle: boolean })[];
  /** What elements of the document load or send to over plain http. */
  plain: (ElementLocation & { url: string; isForm: boolean })[];
  hasForms: boolean;
  frames: (ElementLocation & { url: string })[];
  passwordFields: ElementLocation[];
  /** `text` is null where it is too long to be judged. */
  jsonLd: (ElementLocation & { text: string | null })[];
  /** Visible text, its start. */
  text: string;
}

/** The first that is not empty. */
export const findTitle = ({ titles }: Pick<CollectedPage, 'titles'>): string | null =>
  titles.find((title) => title !== '') ?? null;

export interface CookieFacts {
  name: string;
  domain: string;
  isSecure: boolean;
  isHttpOnly: boolean;
  sameSite: string | null;
}

export interface Readability {
  formula: string;
  /** 0 (very hard) to 100 (very easy), by the language's own formula. */
  ease: number;
}

/** What a page is once it has been loaded and measured. */
export interface PageFacts extends Omit<CollectedPage, 'text' | 'jsonLd'> {
  /** Addresses of plain http that the page asked for while it loaded, whether or not Chromium let it. */
  plainRequests: string[];
  /** ISO 639-1 of the text; null where it is too short to tell. */
  language: string | null;
  words: number;
  /** Null for languages without a formula, and for short texts. */
  readability: Readability | null;
  jsonLd: (ElementLocation & { problem: string | null })[];
  /** As Chromium names it, e.g. `TLS 1.3`. */
  tlsProtocol: string | null;
  cookies: CookieFacts[];
}
