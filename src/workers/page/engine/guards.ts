import type { AnyNode } from 'acorn';
import { childrenOf, isFunction } from './script-tree.ts';

/** A condition on where and in what the page is opened, rather than on what it holds. */
const guard =
  /\b(top|self|parent|opener|frameElement|protocol|userAgent|navigator|screen|innerWidth|matchMedia|confirm|prompt|host|hostname|hash|search|pathname|href|referrer|persisted|webdriver|documentMode|query(String|Params)?|url(Params|Query)|isMobile|mobile_device|isIE|iPad|iPhone|iPod|Android)\b/;
/** What a browser says of itself, of the page's address or for its reader. */
const told =
  /\b(navigator|userAgent|matchMedia)\b|\blocation\s*\.\s*(hash|host|hostname|href|pathname|protocol|search|toString)\b|\bdocument\s*\.\s*(referrer|URL)\b|\b(confirm|prompt)\s*\(/;
/** Asks for one answer or another, rather than for a text that is there in any case. */
const asks =
  /[=!<>]=|[<>]|\.\s*(test|match|includes|startsWith|endsWith)\s*\(|\b(matchMedia|confirm|prompt)\b/;
/** Characters of a condition, and of a value, that are looked at. */
export const longestCondition = 1_000;
const longestValue = 300;
/** Names of which each is derived from the one before it. */
const mostDerived = 3;
/** No property, and nothing in quotation marks. */
const names = /(?<![\w$.'"])[\w$]{2,}/g;
const bare = /^[\s!(]*[\w$]+[\s)]*$/;

/** Names that stand in a script for what a browser tells, and whether they are answers: `isPhone`, rather than `address`. */
export type Guards = ReadonlyMap<string, boolean>;

export const noGuards: Guards = new Map();

/** @param text of the script whose root that is. */
export function findGuards(root: AnyNode, text: string): Guards {
  if (!told.test(text)) return noGuards;
  const values: [name: string, value: string][] = [];
  const open: AnyNode[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const [name, value] = givenIn(node);
    if (name !== null && value !== null && value.end - value.start <= longestValue)
      values.push([name, text.slice(value.start, value.end)]);
    for (const child of childrenOf(node)) open.push(child);
  }
  const guards = new Map<string, boolean>();
  for (let before = -1, turn = 0; before !== guards.size && turn <= mostDerived; turn++) {
    before = guards.size;
    for (const [name, value] of values)
      if (!guards.has(name) && (told.test(value) || mentions(value, guards).length > 0))
        guards.set(name, asks.test(value));
  }
  return guards;
}

/** Whether a condition is on the browser, its reader or the page's address. */
export function isOnBrowser(condition: string, guards: Guards): boolean {
  if (guard.test(condition.slice(0, longestCondition))) return true;
  const text = condition.slice(0, longestValue);
  // An address is there whatever the browser is: `if (next) location = next` is met.
  return (
    guards.size > 0 &&
    text.split(/&&|\|\|/).some((part) => {
      const found = mentions(part, guards);
      return bare.test(part) ? found.some((name) => guards.get(name)) : found.length > 0;
    })
  );
}

const mentions = (text: string, guards: Guards): string[] =>
  guards.size === 0 ? [] : (text.match(names) ?? []).filter((name) => guards.has(name));

/** A variable, and what it is given; what holds many things stands for none of them. */
function givenIn(node: AnyNode): [string | null, AnyNode | null] {
  const [target, value] =
    node.type === 'VariableDeclarator'
      ? [node.id, node.init ?? null]
      : node.type === 'AssignmentExpression'
        ? [node.left, node.right]
        : [null, null];
  const isOne = value !== null && !isFunction(value) && !/^(Array|Object)Expression$/.test(value.type);
  return target?.type === 'Identifier' && isOne ? [target.name, value] : [null, null];
}
