import type { AnyNode, AssignmentExpression, CallExpression } from 'acorn';
import { walkRunningCode } from './running-code.ts';
import { isFunction, nameOf, objectOf, rootOf, textOf } from './script-tree.ts';

/** Content that a script puts into its page. */
export interface Write {
  /** CSS selector of the place, where the script says it plainly; null where it does not. */
  place: string | null;
  /** In place of what is there; else beside it. */
  replaces: boolean;
}

export interface ScriptEffects {
  /** The page leads elsewhere, or is loaded again. */
  leaves: boolean;
  writes: Write[];
}

const contentProperties = new Set(['innerHTML', 'outerHTML', 'textContent', 'innerText']);
const insertions = new Set(
  'append appendChild prepend insertBefore before after replaceWith replaceChildren insertAdjacentHTML insertAdjacentText insertAdjacentElement'.split(
    ' ',
  ),
);
const jqueryInsertions = new Set('html text load append prepend after before replaceWith'.split(' '));
const mounts = new Set(['mount', 'render', '$mount']);
/** What brings other scripts, styles and counters, but no content. */
const silentTags =
  /^(script|style|link|meta|img|iframe|noscript|base|canvas|template|svg|object|audio|video|source)$/i;
const locationOwners = new Set(['window', 'document', 'self', 'top', 'parent', 'globalThis']);

/** `document.write` of further scripts, in pieces as often as not. */
const bringsScripts = /document\.write(ln)?\s*\([^)]{0,40}(<|\\x3c|%3c)(scr|img|link|iframe|style)/i;
/** Only of such scripts is a tree made. */
const mayHaveEffects =
  /innerHTML|outerHTML|textContent|innerText|insertAdjacent|\.(append|prepend|after|before|html|text|load|mount|render|\$mount)\b|appendChild|insertBefore|replaceWith|replaceChildren|location|document\.write/;

/** What the scripts of a page do to it when it loads, as far as their text tells. */
export function readScriptEffects(scripts: readonly string[]): ScriptEffects {
  const effects: ScriptEffects = { leaves: false, writes: [] };
  if (!scripts.some((script) => mayHaveEffects.test(script))) return effects;
  const variables = new Map<string, AnyNode>();
  const writesScripts = scripts.some((script) => bringsScripts.test(script));
  const calls: CallExpression[] = [];
  const assignments: AssignmentExpression[] = [];
  walkRunningCode(scripts, {
    visit(node, isGuarded) {
      if (node.type === 'VariableDeclarator' && node.init != null)
        keep(variables, nameOf(node.id), node.init);
      if (node.type === 'AssignmentExpression') {
        if (node.left.type === 'Identifier') keep(variables, nameOf(node.left), node.right);
        if (!isGuarded && isLocation(node.left)) effects.leaves = true;
        assignments.push(node);
      }
      if (node.type === 'CallExpression') {
        if (!isGuarded && isLeaving(node)) effects.leaves = true;
        calls.push(node);
      }
    },
  });
  // Once all that runs has been seen: what a name stands for may be said behind its use.
  const known = { variables, parents: readParents(calls) };
  for (const call of calls) readCall(call, known, effects, writesScripts);
  for (const assignment of assignments) readAssignment(assignment, known, effects);
  return effects;
}

interface Known {
  /** What a name was first given. */
  variables: ReadonlyMap<string, AnyNode>;
  /** What a named element was put into. */
  parents: ReadonlyMap<string, AnyNode>;
}

function readParents(calls: readonly CallExpression[]): Map<string, AnyNode> {
  const parents = new Map<string, AnyNode>();
  for (const { callee, arguments: values } of calls) {
    const object = objectOf(callee);
    if (object === null || !insertions.has(nameOf(callee) ?? '')) continue;
    for (const value of values) if (value.type === 'Identifier') parents.set(value.name, object);
  }
  return parents;
}

function keep(variables: Map<string, AnyNode>, name: string | null, value: AnyNode): void {
  if (name !== null && !variables.has(name)) variables.set(name, value);
}

/** `location`, `window.location`, `location.href`. */
function isLocation(node: AnyNode): boolean {
  if (node.type === 'Identifier') return node.name === 'location';
  const object = objectOf(node);
  const name = nameOf(node);
  if (object === null) return false;
  if (name === 'location') return object.type === 'Identifier' && locationOwners.has(object.name);
  return (name === 'href' || name === 'search') && nameOf(object) === 'location' && isLocation(object);
}

function isLeaving({ callee }: CallExpression): boolean {
  const object = objectOf(callee);
  if (object === null) return false;
  const name = nameOf(callee) ?? '';
  if (/^(replace|assign|reload)$/.test(name)) return nameOf(object) === 'location' && isLocation(object);
  return name === 'navigate' && nameOf(object) === 'navigation';
}

function readAssignment(node: AssignmentExpression, known: Known, effects: ScriptEffects): void {
  const object = objectOf(node.left);
  if (object === null || !contentProperties.has(nameOf(node.left) ?? '')) return;
  if (isSilent(object, known) || saysNothing(node.right)) return;
  effects.writes.push({ place: placeOf(object, known), replaces: node.operator === '=' });
}

function readCall(node: CallExpression, known: Known, effects: ScriptEffects, writesScripts: boolean): void {
  const name = nameOf(node.callee) ?? '';
  const object = objectOf(node.callee);
  if (object === null) return;
  const root = rootOf(object);
  const [first] = node.arguments;
  if (/^write(ln)?$/.test(name) && object.type === 'Identifier' && object.name === 'document') {
    const says = node.arguments.some((one) => !saysNothing(one));
    if (says && !writesScripts) effects.writes.push({ place: 'body', replaces: false });
    return;
  }
  if (root === '$' || root === 'jQuery') {
    if (!jqueryInsertions.has(name) || first === undefined || isFunction(first) || saysNothing(first)) return;
    if (name === 'load' && textOf(first) === null) return;
    effects.writes.push({ place: placeOf(object, known), replaces: /^(html|text|load)$/.test(name) });
  } else if (mounts.has(name) && first !== undefined) {
    const at = [...node.arguments, ...argumentsOf(object)].map((one) => placeOf(one, known) ?? textOf(one));
    const place = at.find((one) => one !== null && /^[#.]?[\w-]+$/.test(one)) ?? null;
    if (place !== null) effects.writes.push({ place, replaces: true });
  } else if (insertions.has(name) && isContent(node, known)) {
    effects.writes.push({ place: placeOf(object, known), replaces: false });
  }
}

const argumentsOf = (node: AnyNode): AnyNode[] => (node.type === 'CallExpression' ? node.arguments : []);

/** Elements that are made bring nothing by themselves: what is put into them is a write of its own. */
function isContent(node: CallExpression, known: Known): boolean {
  const object = objectOf(node.callee);
  const name = nameOf(node.callee) ?? '';
  if (object === null || isSilent(object, known) || placeOf(object, known) === 'head') return false;
  const [first, second] = node.arguments;
  // `new FormData().append(name, value)`
  if (name === 'append' && second !== undefined && textOf(first) !== null) return false;
  const value = resolve(name.startsWith('insertAdjacent') ? second : first, known);
  if (value === null || saysNothing(value)) return false;
  const makes = value.type === 'CallExpression' ? (nameOf(value.callee) ?? '') : '';
  if (makes === 'createTextNode' || makes === 'cloneNode' || makes === 'importNode') return true;
  if (name === 'insertAdjacentHTML' || name === 'insertAdjacentText') return true;
  return /^(append|prepend|before|after|replaceWith|replaceChildren)$/.test(name) && isText(value);
}

const isText = (node: AnyNode): boolean =>
  textOf(node) !== null || node.type === 'TemplateLiteral' || node.type === 'BinaryExpression';

/** Empties its place, or writes the year of the copyright. */
function saysNothing(node: AnyNode): boolean {
  const text = textOf(node);
  if (text !== null) return text.replace(/<[^<>]*>?|&nbsp;/g, '').trim() === '';
  if (node.type === 'CallExpression' && /^(\$|jQuery)$/.test(nameOf(node.callee) ?? '')) {
    const [made] = node.arguments;
    return made === undefined || saysNothing(made as AnyNode);
  }
  if (node.type === 'Literal' && (node.value === null || typeof node.value === 'boolean')) return true;
  return mentions(node, /^(getFullYear|css|cssText|styles?|stylesheet)$/i);
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

function resolve(node: AnyNode | null | undefined, { variables }: Known): AnyNode | null {
  if (node == null) return null;
  return node.type === 'Identifier' ? (variables.get(node.name) ?? node) : node;
}

function isMade(node: AnyNode): boolean {
  return (
    node.type === 'CallExpression' &&
    /^(createElement(NS)?|cloneNode|importNode)$/.test(nameOf(node.callee) ?? '')
  );
}

/** A style, a script and the like that the script has made. */
function isSilent(node: AnyNode, known: Known): boolean {
  const value = resolve(node, known);
  if (value?.type !== 'CallExpression' || nameOf(value.callee) !== 'createElement') return false;
  return silentTags.test(textOf(value.arguments[0]) ?? '');
}

function placeOf(node: AnyNode, known: Known, depth = 0): string | null {
  const value = resolve(node, known);
  if (value === null || depth > 20) return null;
  const parent = node.type === 'Identifier' ? known.parents.get(node.name) : undefined;
  if (parent !== undefined && isMade(value)) return placeOf(parent, known, depth + 1);
  if (value.type === 'MemberExpression') {
    const name = nameOf(value) ?? '';
    if (/^(body|head|documentElement)$/.test(name) && nameOf(value.object) === 'document') return name;
    return value.object.type === 'Super' ? null : placeOf(value.object, known, depth + 1);
  }
  if (value.type !== 'CallExpression') return null;
  const name = nameOf(value.callee) ?? '';
  const argument = textOf(value.arguments[0]);
  if (argument === null) return null;
  if (name === 'getElementById') return `#${argument}`;
  if (/^(querySelector|querySelectorAll|\$|jQuery|find)$/.test(name)) return argument;
  if (name === 'getElementsByClassName') return `.${argument}`;
  return name === 'getElementsByTagName' ? argument : null;
}
