import type { AnyNode, CallExpression, ObjectExpression } from 'acorn';
import { type LookupAliases, lookupNames } from './lookup-aliases.ts';
import { nameOf, objectOf, rootOf, textOf } from './script-tree.ts';

/** What is called on a place and answers it, or something in it. */
const samePlace =
  /^(empty|show|hide|toggle|fade(In|Out|To)|slide(Down|Up|Toggle)|addClass|removeClass|toggleClass|css|attr|removeAttr|prop|off|on|one|trigger|width|height|first|eq|insertRow|insertCell|attachShadow|createTBody|html|text)$/;
export const jqueryMoves = /^(append|prepend)To$/;
/** Longer ones take patterns long, and look nothing up that a page has. */
const longestSelector = 300;
const makers = /^(createElement(NS)?|createDocumentFragment|cloneNode|importNode|insertRow|insertCell)$/;

/** Content that a script puts into its page. */
export interface Write {
  /** CSS selector of the place, where the script says it plainly; null where it does not. */
  place: string | null;
  /** In place of what is there; else beside it. */
  replaces: boolean;
  /** Where the script stands, and the script does not say what: a counter as often as content. */
  isUntold?: boolean;
  /** Text in place of the element's own. */
  rewords?: boolean;
  /** Words that the script says itself, which tell no more than others would. */
  isWording?: boolean;
  /** Where the content is taken from, as a CSS selector: what is shown there already is not missing. */
  from?: string | null;
  /** No more than a label, where it stands in a link. */
  labels?: boolean;
}

export interface Known {
  /** What a name was given. */
  variables: ReadonlyMap<string, AnyNode>;
  /** What a named element was put into. */
  parents: ReadonlyMap<string, AnyNode>;
  /** Look-ups whose elements are listened to, shown, moved to and the like. */
  used: ReadonlySet<AnyNode>;
  /** Names of more than one thing: of parameters, given another value, added to by `+=`. */
  ambiguous: ReadonlySet<string>;
  aliases: LookupAliases;
}

/** A property's name, apart from those of variables. */
export const memberName = (name: string): string => `.${name}`;

export function resolve(node: AnyNode | null | undefined, { variables }: Known): AnyNode | null {
  if (node == null) return null;
  return node.type === 'Identifier' ? (variables.get(node.name) ?? node) : node;
}

export function isMade(node: AnyNode): boolean {
  return node.type === 'CallExpression' && makers.test(nameOf(node.callee) ?? '');
}

/** Whether it is, or stands in, what the script has made: `table.insertRow().insertCell()`, `$('<li>').appendTo('#a')`. */
export function isAdded(node: AnyNode | null, known: Known): boolean {
  let value = resolve(node, known);
  for (let depth = 0; value !== null && depth < 20; depth++) {
    if (isMade(value)) return true;
    const link = value.type === 'CallExpression' ? value.callee : value;
    if (value.type === 'CallExpression' && jqueryMoves.test(nameOf(link) ?? '')) return true;
    value = resolve(objectOf(link), known);
  }
  return false;
}

export function placeOf(node: AnyNode | null, known: Known, depth = 0): string | null {
  const value = resolve(node, known);
  if (node === null || value === null || depth > 20) return null;
  const parent = node.type === 'Identifier' ? known.parents.get(node.name) : undefined;
  if (parent !== undefined && isMade(value)) return placeOf(parent, known, depth + 1);
  // An element with an id is a variable of its page.
  if (value.type === 'Identifier') return `#${value.name}`;
  if (value.type === 'MemberExpression') {
    const name = nameOf(value) ?? '';
    if (/^(body|head|documentElement)$/.test(name) && nameOf(value.object) === 'document') return name;
    const kept = known.variables.get(memberName(name)) ?? propertyOf(value.object, name, known);
    if (kept != null) return placeOf(kept, known, depth + 1);
    return value.object.type === 'Super' ? null : placeOf(value.object, known, depth + 1);
  }
  if (value.type !== 'CallExpression') return null;
  const name = nameOf(value.callee) ?? '';
  const [first] = value.arguments;
  // What is made is there from then on.
  if (jqueryMoves.test(name) && first !== undefined) return textOf(first) ?? placeOf(first, known, depth + 1);
  const isSame = samePlace.test(name);
  return (
    lookupOf(value, known.aliases) ?? (isSame ? placeOf(objectOf(value.callee), known, depth + 1) : null)
  );
}

const properties = new WeakMap<ObjectExpression, Map<string | null, AnyNode>>();

/** `a` of `{ a: … }` that a name stands for. */
function propertyOf(object: AnyNode, name: string, known: Known): AnyNode | null {
  const value = resolve(object, known);
  if (value?.type !== 'ObjectExpression') return null;
  const kept = properties.get(value) ?? propertiesOf(value);
  properties.set(value, kept);
  return kept.get(name) ?? null;
}

function propertiesOf(object: ObjectExpression): Map<string | null, AnyNode> {
  const found = new Map<string | null, AnyNode>();
  for (const one of object.properties) {
    const name = one.type === 'Property' ? nameOf(one.key) : null;
    if (one.type === 'Property' && !found.has(name)) found.set(name, one.value);
  }
  return found;
}

/** `show('news', text)`: what may be an id. */
export function nameIn({ arguments: [first] }: CallExpression): string | null {
  const text = textOf(first);
  return text !== null && /^[a-z][\w-]{1,40}$/i.test(text) ? `#${text}` : null;
}

/** The place whose content a value is: `$('#a').html()`, `document.getElementById('a').innerHTML`. */
export function sourceOf(node: AnyNode | undefined, known: Known): string | null {
  if (node?.type === 'Identifier' && known.ambiguous.has(node.name)) return null;
  const value = resolve(node, known);
  if (value?.type === 'MemberExpression')
    return /^(inner|outer)HTML$|^(text|inner)(Content|Text)$/.test(nameOf(value) ?? '')
      ? placeOf(value.object, known)
      : null;
  const isRead =
    value?.type === 'CallExpression' &&
    value.arguments.length === 0 &&
    /^(html|text)$/.test(nameOf(value.callee) ?? '');
  return isRead ? placeOf(objectOf(value.callee), known) : null;
}

/** The selector of what a call looks up. */
export function lookupOf(
  { callee, arguments: values }: CallExpression,
  aliases?: LookupAliases,
): string | null {
  const called = nameOf(callee) ?? '';
  const name = aliases?.lookupOf(called) ?? called;
  const argument = textOf(values[0]);
  if (
    argument === null ||
    argument.length > longestSelector ||
    argument.startsWith('<') ||
    isElsewhere(callee)
  )
    return null;
  if (name === 'getElementById') return `#${argument}`;
  if (name === 'getElementsByClassName') return `.${argument}`;
  return lookupNames.test(name) ? argument : null;
}

/** In a frame: `$('iframe').contents().find('p')`. */
function isElsewhere(callee: AnyNode): boolean {
  const object = objectOf(callee);
  return object?.type === 'CallExpression' && nameOf(object.callee) === 'contents';
}

/** Whether it is jQuery, or what that gives: `$('#a').find('b')`, a variable of it. */
export function isJquery(node: AnyNode, known: Known, depth = 0): boolean {
  const root = rootOf(node);
  if (known.aliases.isJquery(root)) return true;
  if (depth > 5) return false;
  const member = node.type === 'MemberExpression' ? memberName(nameOf(node) ?? '') : null;
  return [root, member].some((name) => {
    const value = name === null ? undefined : known.variables.get(name);
    return value !== undefined && isJquery(value, known, depth + 1);
  });
}
