import type { AnyNode, ObjectExpression } from 'acorn';
import { scanHtml } from '../html/scan-html.ts';
import { isBesideByName, isNotice } from './page-region.ts';
import { type Known, resolve } from './script-places.ts';
import { nameOf, objectOf, textOf } from './script-tree.ts';
import { isTold, overlays } from './written-value.ts';

/** Characters of markup in which its first tag stands. */
const nearStart = 1_000;
const inPage = /^\s*($|#|javascript:)/i;
const deepest = 20;
const wholePage = /^(body|html|documentElement)$/;

/** What a script makes to stand beside a page's content: a link within the page, or by its names a window, a banner and the like. */
export function isMadeBeside(node: AnyNode, known: Known): boolean {
  const made = madeOf(node, known);
  if (made === 'an overlay') return true;
  return (
    made !== null &&
    ((made.name === 'a' && inPage.test(made.attributes.get('href') ?? '')) || isBesideByName(made.attributes))
  );
}

/**
 * By its names a notice, a window and the like.
 *
 * @param place where it is put; in one of the page's own it is no content only where it says the same to everybody.
 */
export function isMadeNotice(node: AnyNode, place: string | null, known: Known): boolean {
  if (node.type === 'Identifier' && known.ambiguous.has(node.name)) return false;
  if (place !== null && !wholePage.test(place) && !isTold(resolve(node, known) ?? node)) return false;
  const made = madeOf(node, known);
  return made !== null && made !== 'an overlay' && isNotice(made.attributes);
}

/** The first tag of what a script makes, where what the script calls it does not tell enough. */
function madeOf(node: AnyNode, known: Known): FirstTag | 'an overlay' | null {
  let value: AnyNode | null = node;
  for (let depth = 0; value !== null && depth < deepest; depth++) {
    if (overlays.test(nameOf(value) ?? '')) return 'an overlay';
    value = resolve(value, known);
    if (value?.type !== 'CallExpression') break;
    const object = objectOf(value.callee);
    if (object === null || known.aliases.isJquery(nameOf(object))) break;
    value = object;
  }
  if (value === null) return null;
  const kept = firstTags.get(value) ?? firstTagIn(value, known);
  firstTags.set(value, kept);
  return kept;
}

/** A name that stands for it may be written many times. */
const firstTags = new WeakMap<AnyNode, FirstTag>();

interface FirstTag {
  name: string;
  attributes: ReadonlyMap<string, string>;
}

function firstTagIn(value: AnyNode, known: Known): FirstTag {
  const [first, options] = value.type === 'CallExpression' ? value.arguments : [value];
  const [name, attributes] = firstTagOf(startOf(first, known));
  if (options?.type === 'ObjectExpression') addOptions(options, attributes);
  return { name, attributes };
}

/** What markup begins with, as far as it is plain. */
function startOf(node: AnyNode | undefined, known: Known): string {
  let value = node === undefined ? null : resolve(node, known);
  for (let depth = 0; value?.type === 'BinaryExpression' && depth < 1_000; depth++)
    value = value.left as AnyNode;
  if (value?.type === 'TemplateLiteral') return value.quasis[0]?.value.cooked ?? '';
  return textOf(value) ?? '';
}

function firstTagOf(markup: string): [string, Map<string, string>] {
  const found: [string, Map<string, string>][] = [];
  scanHtml(markup.slice(0, nearStart), {
    onStartTag: (name, attributes) => void found.push([name, new Map(attributes)]),
    onText: () => undefined,
    onEndTag: () => undefined,
  });
  return found[0] ?? ['', new Map()];
}

function addOptions({ properties }: ObjectExpression, attributes: Map<string, string>): void {
  for (const one of properties) {
    const name = one.type === 'Property' ? nameOf(one.key) : null;
    // What it does not say is no address within the page.
    if (one.type === 'Property' && name !== null) attributes.set(name, textOf(one.value) ?? '?');
  }
}
