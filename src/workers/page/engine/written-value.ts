import type { AnyNode, CallExpression, ConditionalExpression, ObjectExpression } from 'acorn';
import { decodeHTML } from 'entities';
import { saidIn, unknown } from './said-in.ts';
import { nameOf, objectOf, textOf } from './script-tree.ts';

const onlyUnknown = new RegExp(`^${unknown}+$`);

/** Gives markup that was written so that nothing takes it for markup. */
const unescapes = /^(unescape(Html)?|decodeHtml|decodeURI(Component)?)$/i;

/** Names of what scripts lay over a page, or sell in it. */
export const overlays =
  /^[_$]?(modal|overlay|pop-?up|toast|tooltip|banner|promo|cookie|consent|spinner|loader|ads?(?![a-z]))/i;

const lookups = /^(\$|jQuery)$/;
/** From elements of the page to others of it. */
const walks =
  /^(add(Back|Class)?|attr|children|closest|contents|css|detach|eq|filter|find|first|has|hide|last|next(All|Until)?|not|offsetParent|parents?|prev(All|Until)?|prop|remove(Attr|Class)?|show|siblings|slice|toggleClass|unwrap)$/;

/** Of the year of a copyright. */
const yearName = /^getFullYear$/;
/** Of styles, which are not read. */
const styleName =
  /^(css|cssText|styles?|stylesheets?)$|(Css|CSS|Styles?|StyleSheets?)(Node|Tag|Element|Text)$/;
const longestName = 100;

type Judge = (node: AnyNode) => boolean;

export const isText: Judge = (node) =>
  textOf(node) !== null || node.type === 'TemplateLiteral' || node.type === 'BinaryExpression';

/** Without markup. */
export const isPlainText: Judge = (node) => textOf(node)?.includes('<') === false;

/** A label: "Copy", "Back to top". Characters. */
const longestLabel = 12;

/** Of prices, stocks and telephone numbers. */
const tellsMore = /[\p{N}\p{Sc}]|&(#|euro|pound|yen|cent|curren)/u;

/** How many there are of something: `'(' + comments + ')'`. */
const count = new RegExp(`^\\(${unknown}\\)$`);

/** Empties its place, or writes the year of the copyright. */
export const saysNothing: Judge = onceEach(isNothingSaid);
/** Where it stands in a link, or in what is made, it may be no more than a label. */
export const isLabel: Judge = onceEach((node) => {
  const text = partsOf(node).replace(/<[^<>]*>?|&nbsp;/g, '');
  return text.trim().length <= longestLabel && !text.includes(unknown) && !tellsMore.test(text);
});
/** Words, and all of them are said: none that tell more than others did. */
export const isWording: Judge = (node) => {
  const text = textOf(node);
  return text !== null && !text.includes('@') && !tellsMore.test(text);
};
/** What is longer is content, whatever it is called. */
const longestNotice = 300;
/** All of it is said, and it is short. */
export const isTold: Judge = onceEach((node) => {
  const parts = partsOf(node);
  return !parts.includes(unknown) && saidIn(parts).length <= longestNotice;
});
/** Nothing of it is said: `code`, `counter.read()`. */
export const isUntold: Judge = onceEach((node) => onlyUnknown.test(partsOf(node)));
/** Scripts, pictures and the like, as markup. */
export const isSilentMarkup: Judge = onceEach((node) =>
  /^\s*<(script|style|link|img|iframe|noscript)\b/i.test(partsOf(node)),
);

/** A `meta` that leads elsewhere. */
export const isRefreshMarkup: Judge = onceEach((node) =>
  /<meta\s[^>]{0,200}\bhttp-equiv\s*=\s*\\?["']?refresh\b/i.test(partsOf(node)),
);

/** A name that stands for a long text may be written many times. */
function onceEach(judge: Judge): Judge {
  const known = new WeakMap<AnyNode, boolean>();
  return (node) => {
    const answer = known.get(node) ?? judge(node);
    known.set(node, answer);
    return answer;
  };
}

function isNothingSaid(node: AnyNode): boolean {
  const said = saidIn(partsOf(node));
  if (said === '' || count.test(said)) return true;
  if (node.type === 'CallExpression' && lookups.test(nameOf(node.callee) ?? '')) {
    const [made, options] = node.arguments;
    if (options?.type === 'ObjectExpression' && isGivenContent(options)) return false;
    return made === undefined || isSelector(made) || saysNothing(made);
  }
  if (isMoved(node)) return true;
  const written =
    node.type === 'CallExpression' && unescapes.test(nameOf(node.callee) ?? '')
      ? textOf(node.arguments[0])
      : null;
  if (written !== null && saidIn(unescapeMarkup(written)) === '') return true;
  if (node.type === 'Literal' && (node.value === null || typeof node.value === 'boolean')) return true;
  return mentions(node, yearName);
}

/** What is there already and stands elsewhere then: `$('#a').children()`. */
export const isMoved: Judge = onceEach((node) => {
  let value = node;
  for (let depth = 0; value.type === 'CallExpression' && depth < 20; depth++) {
    const [made] = value.arguments;
    if (lookups.test(nameOf(value.callee) ?? '')) return made !== undefined && isSelector(made);
    const object = objectOf(value.callee);
    if (object === null || !walks.test(nameOf(value.callee) ?? '') || isGetter(value)) return false;
    value = object;
  }
  return false;
});

/** `attr('title')` is a text, `attr('title', text)` the element. */
const isGetter = ({ callee, arguments: values }: CallExpression): boolean =>
  /^(attr|css|prop)$/.test(nameOf(callee) ?? '') &&
  values.length === 1 &&
  values[0]?.type !== 'ObjectExpression';

/** Rather than markup. */
const isSelector = (node: AnyNode): boolean => /^[^<\uFFFC]/.test(partsOf(node).trimStart());

/** `$('<li>', { text: name })` */
const isGivenContent = ({ properties }: ObjectExpression): boolean =>
  properties.some(
    (one) =>
      one.type === 'Property' &&
      /^(text|html|append)$/.test(nameOf(one.key) ?? '') &&
      !saysNothing(one.value),
  );

const unescapeMarkup = (text: string): string =>
  decodeHTML(text).replace(/%([\da-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );

/** An expression's text; what it does not tell is a character of no meaning. */
function partsOf(node: AnyNode, depth = 0): string {
  const text = textOf(node);
  if (text !== null) return text;
  if (node.type === 'BinaryExpression' && depth < 50)
    return partsOf(node.left as AnyNode, depth + 1) + partsOf(node.right, depth + 1);
  if (node.type === 'ConditionalExpression' && depth < 50) return longerPart(node, depth);
  if (node.type === 'TemplateLiteral' && depth < 50)
    return node.quasis
      .map(({ value }, index) => (value.cooked ?? '') + partsAfter(node.expressions[index], depth))
      .join('');
  return mentions(node, styleName) ? '' : unknown;
}

const partsAfter = (node: AnyNode | undefined, depth: number): string =>
  node === undefined ? '' : partsOf(node, depth + 1);

/** Both ways of a choice are read at each level of choices within choices. */
const perChoice = 10;

/** Either is said: what it does not tell, or what says more. */
function longerPart({ consequent, alternate }: ConditionalExpression, depth: number): string {
  const parts = [partsOf(consequent, depth + perChoice), partsOf(alternate, depth + perChoice)];
  const untold = parts.find((part) => part.includes(unknown));
  return untold ?? parts.reduce((one, other) => (saidIn(other).length > saidIn(one).length ? other : one));
}

function mentions(root: AnyNode, pattern: RegExp, depth = 0): boolean {
  if (depth > 6) return false;
  const name = nameOf(root) ?? '';
  if (name.length <= longestName && pattern.test(name)) return true;
  const parts: (AnyNode | null)[] =
    root.type === 'CallExpression'
      ? [root.callee, ...root.arguments]
      : root.type === 'BinaryExpression'
        ? [root.left as AnyNode, root.right]
        : root.type === 'TemplateLiteral'
          ? root.expressions
          : [objectOf(root)];
  return parts.some((part) => part !== null && mentions(part, pattern, depth + 1));
}
