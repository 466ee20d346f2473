import type { AnyNode, ObjectExpression } from 'acorn';
import { decodeHTML } from 'entities';
import { nameOf, objectOf, textOf } from './script-tree.ts';

/** Stands for what a script does not say plainly. */
const unknown = '\uFFFC';
const onlyUnknown = new RegExp(`^${unknown}+$`);

/** Gives markup that was written so that nothing takes it for markup. */
const unescapes = /^(unescape(Html)?|decodeHtml|decodeURI(Component)?)$/i;

/** Names of what scripts lay over a page, or sell in it. */
export const overlays =
  /^[_$]?(modal|overlay|pop-?up|toast|tooltip|banner|promo|cookie|consent|spinner|loader|ads?(?![a-z]))/i;

type Judge = (node: AnyNode) => boolean;

export const isText: Judge = (node) =>
  textOf(node) !== null || node.type === 'TemplateLiteral' || node.type === 'BinaryExpression';

/** Without markup. */
export const isPlainText: Judge = (node) => textOf(node)?.includes('<') === false;

/** A label: "Copy", "Back to top". Characters. */
const longestLabel = 12;

/** Of prices, stocks and telephone numbers. */
const tellsMore = /[\p{N}\p{Sc}]|&(#|euro|pound|yen|cent|curren)/u;

/** Empties its place, or writes the year of the copyright. */
export const saysNothing: Judge = onceEach(isNothingSaid);
/** Where it stands in a link, or in what is made, it may be no more than a label. */
export const isLabel: Judge = onceEach((node) => {
  const parts = partsOf(node);
  return saidIn(parts).length <= longestLabel && !parts.includes(unknown) && !tellsMore.test(parts);
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
  if (saidIn(partsOf(node)) === '') return true;
  if (node.type === 'CallExpression' && /^(\$|jQuery)$/.test(nameOf(node.callee) ?? '')) {
    const [made, options] = node.arguments;
    if (options?.type === 'ObjectExpression' && isGivenContent(options)) return false;
    // What is there already is moved.
    return made === undefined || (textOf(made) ?? '<').startsWith('<') === false || saysNothing(made);
  }
  const written =
    node.type === 'CallExpression' && unescapes.test(nameOf(node.callee) ?? '')
      ? textOf(node.arguments[0])
      : null;
  if (written !== null && saidIn(unescapeMarkup(written)) === '') return true;
  if (node.type === 'Literal' && (node.value === null || typeof node.value === 'boolean')) return true;
  return mentions(node, /^(getFullYear|css|cssText|styles?|stylesheet)$/i);
}

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

const saidIn = (markup: string): string => markup.replace(/<[^<>]*>?|&\w{2,8};/g, '').trim();

/** An expression's text; what it does not tell is a character of no meaning. */
function partsOf(node: AnyNode, depth = 0): string {
  const text = textOf(node);
  if (text !== null) return text;
  if (node.type === 'BinaryExpression' && depth < 50)
    return partsOf(node.left as AnyNode, depth + 1) + partsOf(node.right, depth + 1);
  if (node.type === 'TemplateLiteral')
    return node.quasis.map(({ value }) => value.cooked ?? '').join(unknown);
  return unknown;
}

function mentions(root: AnyNode, pattern: RegExp, depth = 0): boolean {
  if (depth > 6) return false;
  if (pattern.test(nameOf(root) ?? '')) return true;
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
