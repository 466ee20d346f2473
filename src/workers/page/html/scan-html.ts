import { Tokenizer, TokenizerMode } from 'parse5';
import { ForeignContent } from './foreign-content.ts';
import { QuickTokenizer } from './quick-tokenizer.ts';

export interface HtmlHandlers {
  onStartTag(name: string, attributes: ReadonlyMap<string, string>): void;
  /** Text, also the raw text of scripts and styles, in pieces; references are decoded where HTML decodes them. */
  onText(text: string): void;
  onEndTag(name: string): void;
}

export interface HtmlScanner {
  write(html: string, isLast?: boolean): void;
}

/** Elements whose content is not markup. With scripting on, `noscript` is one of them. */
const contentModes: Record<string, (typeof TokenizerMode)[keyof typeof TokenizerMode]> = {
  title: TokenizerMode.RCDATA,
  textarea: TokenizerMode.RCDATA,
  style: TokenizerMode.RAWTEXT,
  xmp: TokenizerMode.RAWTEXT,
  iframe: TokenizerMode.RAWTEXT,
  noembed: TokenizerMode.RAWTEXT,
  noframes: TokenizerMode.RAWTEXT,
  noscript: TokenizerMode.RAWTEXT,
  script: TokenizerMode.SCRIPT_DATA,
  plaintext: TokenizerMode.PLAINTEXT,
};

/**
 * Tells the tags and texts of a document in order, as the HTML standard's tokenizer sees them. No tree and no
 * stack is built, so nesting of any depth costs nothing.
 */
export function scanHtml(html: string, handlers: HtmlHandlers): void {
  createScanner(QuickTokenizer, handlers).write(html, true);
}

/**
 * The same for a document that comes in parts, of which few are read, by who does not know yet whether scripts run: what
 * stands in `noscript` is markup. The quick tokenizer is for one that is given whole, and would gain nothing.
 */
export const createHtmlScanner = (handlers: HtmlHandlers): HtmlScanner =>
  createScanner(Tokenizer, handlers, false);

/** The words of a text and the white space between them, each by itself, in order. */
export const wordsOf = (text: string): string[] => text.match(/[ \t\n\f\r]+|[^ \t\n\f\r]+/g) ?? [];

function createScanner(
  TokenizerClass: typeof Tokenizer,
  handlers: HtmlHandlers,
  isScripted = true,
): HtmlScanner {
  const onCharacters = (token: { chars: string }) => handlers.onText(token.chars);
  const ignore = () => undefined;
  const foreign = new ForeignContent();
  const tokenizer = new TokenizerClass(
    {},
    {
      onStartTag({ tagName, attrs, selfClosing }) {
        const isOfHtml =
          (tagName === 'font' && attrs.some(({ name }) => /^(color|face|size)$/.test(name))) ||
          (tagName === 'annotation-xml' &&
            /^(text\/html|application\/xhtml\+xml)$/i.test(
              attrs.find(({ name }) => name === 'encoding')?.value ?? '',
            ));
        const { ended, isForeign } = foreign.start(tagName, selfClosing, isOfHtml);
        for (const name of ended) handlers.onEndTag(name);
        tokenizer.inForeignNode = foreign.isForeign;
        handlers.onStartTag(tagName, new Map(attrs.map(({ name, value }) => [name, value])));
        if (isForeign && selfClosing) return handlers.onEndTag(tagName);
        const isMarkup = isForeign || (tagName === 'noscript' && !isScripted);
        const mode = isMarkup ? undefined : contentModes[tagName];
        if (mode !== undefined) tokenizer.state = mode;
      },
      onEndTag({ tagName }) {
        for (const name of foreign.end(tagName)) handlers.onEndTag(name);
        tokenizer.inForeignNode = foreign.isForeign;
        handlers.onEndTag(tagName);
      },
      onCharacter: onCharacters,
      onWhitespaceCharacter: onCharacters,
      onNullCharacter: ignore,
      onComment: ignore,
      onDoctype: ignore,
      onEof: ignore,
    },
  );
  return { write: (html, isLast = false) => tokenizer.write(html, isLast) };
}
