import type { AnyNode, CallExpression } from 'acorn';
import { isMadeBeside, isMadeNotice } from './made-markup.ts';
import { isAdded, jqueryMoves, type Known, placeOf, resolve, sourceOf, type Write } from './script-places.ts';
import { isFunction, nameOf, objectOf, textOf } from './script-tree.ts';
import { isLabel, isMoved, isPlainText, isText, isWording, overlays, saysNothing } from './written-value.ts';

const insertions = new Set('html text load append prepend after before replaceWith'.split(' '));
const joins = /^(append|prepend)$/;
const ofPage = /^(body|html|documentElement)$/;
/** Names of addresses. */
const addressName = /(ur[il]|src|href|path|address|file)s?$/i;
const replacements = /^(html|text|load|replaceWith)$/;

/** What a method of jQuery puts into the page. */
export function readJquery(
  { callee, arguments: values }: CallExpression,
  object: AnyNode,
  known: Known,
): Write[] {
  const name = nameOf(callee) ?? '';
  const [first] = values;
  const isMoving = jqueryMoves.test(name) && !saysNothing(object) && !isMoved(singleOf(object, known));
  const target = isMoving ? (textOf(first) ?? placeOf(first ?? null, known)) : null;
  if (target !== null)
    return isAside(object, target, true, known) ? [] : [{ place: target, replaces: false }];
  if (/^dataTable$/i.test(name) && asksForRows(first))
    return [{ place: placeOf(object, known), replaces: false }];
  if (!insertions.has(name) || first === undefined) return [];
  if (isFunction(first) && !/^(html|text)$/.test(name)) return [];
  // Its argument is an address.
  if (name !== 'load' && (saysNothing(first) || isMoved(singleOf(first, known)))) return [];
  if (overlays.test(nameOf(first) ?? '')) return [];
  const place = placeOf(object, known);
  if (name === 'load' && !isAddress(first, place, known)) return [];
  if (name !== 'load' && isAside(first, place, joins.test(name), known)) return [];
  const isWords = name === 'text' || (name === 'html' && isPlainText(first));
  const rewords = isWords && !isAdded(object, known);
  return [
    {
      place,
      from: sourceOf(first, known),
      replaces: replacements.test(name),
      rewords,
      isWording: isWording(first),
      labels: name !== 'load' && isLabel(first),
    },
  ];
}

/** What a name stands for, where it stands for one thing only. */
const singleOf = (node: AnyNode, known: Known): AnyNode =>
  node.type === 'Identifier' && known.ambiguous.has(node.name) ? node : (resolve(node, known) ?? node);

/** What is made is no content there. */
const isAside = (made: AnyNode, place: string | null, isAddition: boolean, known: Known): boolean =>
  isMadeNotice(made, place, known) || (isAddition && ofPage.test(place ?? '') && isMadeBeside(made, known));

/** What a place is loaded from; `$(window).load(start)` waits for it. */
function isAddress(node: AnyNode, place: string | null, known: Known): boolean {
  const value = resolve(node, known) ?? node;
  if (isText(value) || isAttribute(value)) return true;
  if (place === null || isFunction(value)) return false;
  if (value.type === 'MemberExpression') return addressName.test(nameOf(value) ?? '');
  return value.type === 'Identifier' || value.type === 'CallExpression';
}

/** `$(this).data('src')`, `this.dataset.src` */
function isAttribute(node: AnyNode): boolean {
  if (node.type === 'CallExpression') return /^(data|attr|getAttribute)$/.test(nameOf(node.callee) ?? '');
  return nameOf(objectOf(node)) === 'dataset';
}

/** The table has a head of its own, and its rows are asked for. */
const asksForRows = (options: AnyNode | undefined): boolean =>
  options?.type === 'ObjectExpression' &&
  options.properties.some(
    (one) => one.type === 'Property' && /^(ajax|sAjaxSource)$/.test(nameOf(one.key) ?? ''),
  );
