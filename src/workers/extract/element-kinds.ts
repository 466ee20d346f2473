import { type Element, isTag, isText } from 'domhandler';

const silentTags = new Set(
  'script style template svg iframe object embed applet canvas audio video map noembed noframes select option optgroup datalist textarea input head meta link title progress meter area param source track math-annotation dialog'.split(
    ' ',
  ),
);

export const blockTags = new Set(
  'address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre search section summary table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
);

export const isSilent = (tag: string): boolean => silentTags.has(tag);

/**
 * Not `opacity: 0`, `scale(0)` and no height: what is faded or folded out later begins so. Nor `font-size: 0`, which
 * what stands within may set anew.
 */
const hiddenStyle =
  /(?:^|;)\s*(?:display\s*:\s*none|(?:content-)?visibility\s*:\s*(?:hidden|collapse)|text-indent\s*:\s*-\d{4,}(?:\.\d+)?(?:px|em|rem|%)?|clip\s*:\s*rect\(\s*[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?\s*\))/i;
/** Nearer than 5,000 px stand the strips of sliders. */
const farStyle = /(?:^|;)\s*(?:left|right|top)\s*:\s*-(?:[5-9]\d{3}|\d{5,})(?:\.\d+)?px/i;
const placedStyle = /(?:^|;)\s*position\s*:\s*(?:absolute|fixed)/i;

/** MathML that stands beside a picture of the formula is hidden for readers, and is the formula all the same. */
export const holdsFormula = ({ children }: Element): boolean => {
  const [only, ...others] = children.filter(isTag);
  return only?.name === 'math' && others.length === 0;
};

export function isHidden(element: Element): boolean {
  return looksHidden(element) && !holdsFormula(element);
}

function looksHidden({ attribs }: Element): boolean {
  if (attribs['hidden'] !== undefined && attribs['hidden'] !== 'until-found') return true;
  const style = attribs['style']?.slice(0, 1_000) ?? '';
  return hiddenStyle.test(style) || (farStyle.test(style) && placedStyle.test(style));
}

/**
 * Whether a quotation begins with the line that says whose it is, as forums write it: `cite` before text that is set apart
 * from it by nothing, or by a colon. One that is followed by a word names a work in a sentence, and so may one before a script
 * that writes no spaces.
 */
export function isSourceLine(element: Element): boolean {
  const { name, parent, next } = element;
  if (name !== 'cite' || parent === null || next === null || !isText(next) || !isFirst(element)) return false;
  const isInQuote =
    isTag(parent) &&
    (isQuote(parent) || (parent.name === 'div' && isFirst(parent) && isQuote(parent.parent)));
  return isInQuote && (beginsApart.test(next.data) || endsInColon(element));
}

const beginsApart =
  /^(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])[\p{L}\p{N}]/u;

const isQuote = (node: Element['parent']): boolean =>
  node !== null && isTag(node) && node.name === 'blockquote';

/** Whether nothing but white space stands before it. */
const isFirst = ({ prev }: Element): boolean =>
  prev === null || (isText(prev) && prev.prev === null && prev.data.trim() === '');

function endsInColon({ children }: Element): boolean {
  const last = children.at(-1);
  return last !== undefined && isText(last) && /[:：]\s*$/.test(last.data.slice(-20));
}
