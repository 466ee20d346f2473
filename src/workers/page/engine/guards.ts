import type { AnyNode } from 'acorn';
import { childrenOf, isFunction, nameOf, textOf } from './script-tree.ts';

/** A condition on where and in what the page is opened, rather than on what it holds. */
const guard =
  /\b(top|self|parent|opener|frameElement|protocol|userAgent|navigator|screen|innerWidth|matchMedia|confirm|prompt|host|hostname|hash|search|pathname|href|referrer|persisted|webdriver|documentMode|query(String|Params)?|url(Params|Query)|isMobile|mobile_device|isIE|iPad|iPhone|iPod|Android)\b/;
/** What a browser says of itself, of the page's address or for its reader. */
const told =
  /\b(navigator|userAgent|matchMedia)\b|\blocation\s*\.\s*(hash|host|hostname|href|pathname|protocol|search|toString)\b|\bdocument\s*\.\s*(referrer|URL)\b|\b(confirm|prompt)\s*\(/;
/** Characters of a condition, and of a value, that are looked at. */
const longestCondition = 1_000;
const longestValue = 300;
/** Names of which each is derived from the one before it. */
const mostDerived = 3;
const absolute = /^https?:\/\//i;

/** What a script's conditions may be on besides what its page holds. */
export interface Guards {
  /** Names that stand for what a browser tells. */
  told: ReadonlySet<string>;
  /** Names of plain addresses: what is looked for in one is there or not, whatever the page holds. */
  addresses: ReadonlySet<string>;
}

export const noGuards: Guards = { told: new Set(), addresses: new Set() };

/** @param text of the script whose root that is. */
export function findGuards(root: AnyNode, text: string): Guards {
  const values: [name: string, value: string][] = [];
  const addresses = new Set<string>();
  const open: AnyNode[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const [name, value] = givenIn(node);
    if (name !== null && value !== null && absolute.test(textOf(value) ?? '')) addresses.add(name);
    if (name !== null && value !== null && !isFunction(value) && value.end - value.start <= longestValue)
      values.push([name, text.slice(value.start, value.end)]);
    for (const child of childrenOf(node)) open.push(child);
  }
  const names = new Set(values.flatMap(([name, value]) => (told.test(value) ? [name] : [])));
  for (let before = -1, turn = 0; before !== names.size && turn < mostDerived; turn++) {
    before = names.size;
    for (const [name, value] of values) if (mentions(value, names)) names.add(name);
  }
  return { told: names, addresses };
}

/** Whether a condition is on the browser, its reader or the page's address. */
export function isOnBrowser(condition: string, guards: Guards): boolean {
  const text = condition.slice(0, longestCondition);
  if (guard.test(text) || mentions(text, guards.told)) return true;
  return [...text.matchAll(/([\w$]+)\s*\.\s*(?:indexOf|includes|search|match)\s*\(/g)].some(([, name = '']) =>
    guards.addresses.has(name),
  );
}

const mentions = (text: string, names: ReadonlySet<string>): boolean =>
  names.size > 0 && (text.match(/[\w$]{2,}/g) ?? []).some((word) => names.has(word));

function givenIn(node: AnyNode): [string | null, AnyNode | null] {
  if (node.type === 'VariableDeclarator') return [nameOf(node.id), node.init ?? null];
  return node.type === 'AssignmentExpression' ? [nameOf(node.left), node.right] : [null, null];
}
