import type { AnyNode, BinaryExpression } from 'acorn';
import { childrenOf, isFunction, nameOf, objectOf, textOf } from './script-tree.ts';

/** What scripts call a function that reads one part of the page's address by its name. */
const reader = /^get(Query|Url|Request)?(Param|Parameter|Variable|QueryString)(s|ByName|Value|FromUrl)?$/i;
/** Of nothing they make nothing. */
const parts = /^(match|slice|substr|substring|trim|toLowerCase|toString|includes|startsWith|indexOf|search)$/;
/** Characters; longer values are no plain readings. */
const longestValue = 200;
/** Shorter names stand for many things. */
const shortestName = 3;
const opposites: Record<string, string> = {
  '==': '!=',
  '!=': '==',
  '===': '!==',
  '!==': '===',
  '<': '>=',
  '>=': '<',
  '>': '<=',
  '<=': '>',
};

/** Names that stand in a script for a part of its page's address, and for nothing else. */
export type Asked = ReadonlySet<string>;

/** @returns the names of the script whose root that is. */
export function findAsked(root: AnyNode): Asked {
  const asked = new Set<string>();
  const others = new Set<string>();
  const open: AnyNode[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const [target, value] of bindingsOf(node)) {
      const name = target?.type === 'Identifier' ? target.name : null;
      if (name === null) continue;
      const isAsked =
        value != null &&
        value.end - value.start <= longestValue &&
        name.length >= shortestName &&
        isReading(value, none) &&
        !findsPlace(value);
      (isAsked ? asked : others).add(name);
    }
    for (const child of childrenOf(node)) open.push(child);
  }
  for (const name of others) asked.delete(name);
  return asked;
}

const none: Asked = new Set();

/** What a node gives a value to, and the value where it says that. */
function bindingsOf(node: AnyNode): [AnyNode | null, AnyNode | null | undefined][] {
  if (node.type === 'VariableDeclarator') return [[node.id, node.init]];
  if (node.type === 'AssignmentExpression') return [[node.left, node.operator === '=' ? node.right : null]];
  if (node.type === 'AssignmentPattern') return [[node.left, null]];
  if (node.type === 'RestElement') return [[node.argument, null]];
  if (node.type === 'ArrayPattern') return node.elements.map((one) => [one, null]);
  if (node.type === 'ObjectPattern')
    return node.properties.map((one) => [one.type === 'Property' ? one.value : null, null]);
  if (node.type === 'CatchClause') return [[node.param ?? null, null]];
  if (node.type === 'ForInStatement' || node.type === 'ForOfStatement') return [[node.left, null]];
  if (isFunction(node)) {
    const { id, params } = node as { id?: AnyNode | null; params: AnyNode[] };
    return [id ?? null, ...params].map((one) => [one, null]);
  }
  return [];
}

/** A part of the page's address, empty or missing where it asks for nothing; not what is merely made with it. */
function isReading(node: AnyNode, asked: Asked): boolean {
  if (node.type === 'Identifier') return asked.has(node.name);
  if (node.type === 'ChainExpression') return isReading(node.expression, asked);
  if (node.type === 'MemberExpression') {
    const isPart = /^(search|hash)$/.test(nameOf(node) ?? '') && isLocation(node.object);
    return isPart || isReading(node.object, asked);
  }
  if (node.type !== 'CallExpression') return false;
  const name = nameOf(node.callee) ?? '';
  const object = objectOf(node.callee);
  if (object?.type === 'NewExpression') {
    const [source] = object.arguments;
    const isQuery = nameOf(object.callee) === 'URLSearchParams' && /^(get|has)$/.test(name);
    return isQuery && source !== undefined && isReading(source, asked);
  }
  if (object !== null && parts.test(name) && isReading(object, asked)) return true;
  return reader.test(name) && textOf(node.arguments[0]) !== null;
}

function isLocation(node: AnyNode): boolean {
  const owner = objectOf(node);
  if (nameOf(node) !== 'location') return false;
  return owner === null || (owner.type === 'Identifier' && /^(window|document|self)$/.test(owner.name));
}

/** Whether a condition is met only where the page's address asks for something; `isMet` false: whether it is not met only there. */
export function asksOfAddress(node: AnyNode, asked: Asked, isMet = true): boolean {
  if (node.type === 'UnaryExpression' && node.operator === '!')
    return asksOfAddress(node.argument, asked, !isMet);
  if (node.type === 'LogicalExpression') {
    if (node.operator === '??') return false;
    const [left, right] = [asksOfAddress(node.left, asked, isMet), asksOfAddress(node.right, asked, isMet)];
    // One suffices of those that must all be met.
    return (node.operator === '&&') === isMet ? left || right : left && right;
  }
  if (node.type === 'BinaryExpression') {
    const operator = isMet ? node.operator : opposites[node.operator];
    return operator !== undefined && isComparedSo(node, operator, asked);
  }
  return isMet && isReading(node, asked) && !findsPlace(node);
}

/** As a condition it is met where nothing is found, too. */
const findsPlace = (node: AnyNode): boolean =>
  node.type === 'CallExpression' && /^(indexOf|search)$/.test(nameOf(node.callee) ?? '');

/** `to === 'next'`, `to !== null`, `location.hash.indexOf('next') > -1`. */
function isComparedSo({ left, right }: BinaryExpression, operator: string, asked: Asked): boolean {
  if (left.type === 'PrivateIdentifier' || !isReading(left, asked)) return false;
  const value = valueOf(right);
  if (value === undefined) return false;
  const isNothing = value === null || value === '' || value === -1 || value === 'undefined';
  if (/^!==?$/.test(operator)) return isNothing;
  if (/^===?$/.test(operator)) return !isNothing && value !== false && value !== 0;
  return (operator === '>' && (value === -1 || value === 0)) || (operator === '>=' && value === 0);
}

/** Of a literal, and of `undefined` its name; undefined for all else. */
function valueOf(node: AnyNode): unknown {
  if (node.type === 'Identifier') return node.name === 'undefined' ? 'undefined' : undefined;
  if (node.type === 'Literal') return node.value;
  const isMinus = node.type === 'UnaryExpression' && node.operator === '-';
  return isMinus && node.argument.type === 'Literal'
    ? -Number(node.argument.value)
    : (textOf(node) ?? undefined);
}
