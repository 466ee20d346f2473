import type { AnyNode, ObjectExpression } from 'acorn';
import { type Asked, asksOfAddress, findAsked } from './asked-of-address.ts';
import { findGuards, type Guards, isOnBrowser, longestCondition, noGuards } from './guards.ts';
import {
  type Call,
  childrenOf,
  isFunction,
  nameOf,
  objectOf,
  parseScript,
  rootOf,
  textOf,
} from './script-tree.ts';

const listeners = new Set([
  'addEventListener',
  'on',
  'one',
  'bind',
  'delegate',
  'attachEvent',
  'listen',
  'live',
]);
/** What comes by itself; all else waits for the reader. */
const ownEvents =
  /^(on)?(load|loadend|domcontentloaded|readystatechange|pageshow|success|complete|done|open|message|turbo:load|alpine:init|htmx:load|connected)$/i;
/** Names of functions in a call's options that are called without the reader. */
const ownOptions = /^(on)?(load|success|complete|done|ready|init|mounted|created)$/i;
/** Says what others are to do, or asks the reader. */
const tellsOthers = /^(ajaxSetup|log_?in|sign_?in)$/i;
/** jQuery's short forms of listening. */
const byReader =
  /^(click|dblclick|hover|submit|change|input|focus|blur|focusin|focusout|key(up|down|press)|mouse(enter|leave|over|out|down|up|move)|scroll|resize|toggle|select|observe)$/;
const leaving = /\blocation\s*(\.\s*(href|search)\s*)?=(?!=)|\blocation\s*\.\s*(replace|assign|reload)\b/;
/** Of `if … else if … else`. */
const mostWays = 10;
const longestWaitMs = 5_000;
/** What is longer is a library, whose ways hang on more than its text tells. */
const ownScriptLength = 6_000;

/** What is seen of a script, node by node, as far as it runs without its reader. */
export interface CodeVisitor {
  /**
   * @param node a function that stands in what runs too, though not what is in it.
   * @param isGuarded where it runs only on some devices, addresses or in a frame.
   * @param source the text of the script whose running has led there.
   */
  visit(node: AnyNode, isGuarded: boolean, source: string): void;
}

/** What only other browsers have, or are called. */
const otherBrowser = /\b(ActiveXObject|XDomainRequest|attachEvent|documentMode|MSIE|Trident)\b/i;
/** What may turn a condition round, or let more browsers in. */
const doubtful =
  /[!<?]|==|>(?!=?\s*-?\d)|\d\s*>|\b(typeof|addEventListener)\b|chrome|firefox|safari|webkit|gecko/i;

/**
 * Goes through the code of a page that runs when it loads: the scripts themselves, functions that are called by it,
 * handed on, or listen to what comes by itself; not what waits for a click. A function is known by its name alone.
 */
export function walkRunningCode(scripts: readonly string[], visitor: CodeVisitor): void {
  const named = new Map<string, AnyNode[]>();
  const conditions = new Map<AnyNode, Condition>();
  const entered = new Set<AnyNode>();
  const sources = new Map<AnyNode, string>();

  function collect(root: AnyNode, text: string): void {
    const open: AnyNode[] = [root];
    const asked = findAsked(root);
    const guards = findGuards(root, text);
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      const [name, value] = namedValueOf(node);
      if (name !== null && value !== null) {
        const known = named.get(name);
        if (known === undefined) named.set(name, [value]);
        else known.push(value);
      }
      const condition = conditionOf(node);
      if (condition !== null)
        conditions.set(node, {
          text: text.slice(condition.start, condition.end),
          node: condition,
          asked,
          guards,
          isEither: leavesEither(node, text),
        });
      for (const child of childrenOf(node)) open.push(child);
    }
  }

  function run(root: AnyNode, source: string): void {
    const open: [AnyNode, boolean][] = [[root, source.length > ownScriptLength]];
    const enter = (body: AnyNode, isGuarded: boolean): void => {
      if (entered.has(body)) return;
      entered.add(body);
      for (const child of childrenOf(body)) open.push([child, isGuarded]);
      if (!isClass(body)) return;
      enterNamed('constructor', isGuarded);
      enterNamed('connectedCallback', isGuarded);
    };
    const enterNamed = (name: string | null, isGuarded: boolean): void => {
      const bodies = (name === null ? undefined : named.get(name)) ?? [];
      // Nothing is entered twice.
      if (name !== null) named.delete(name);
      for (const body of bodies) enter(body, isGuarded);
    };
    /** A function that is handed on: as it stands, or by its name. */
    const handOn = (node: AnyNode, isGuarded: boolean): void => {
      if (isFunction(node) || isClass(node)) enter(node, isGuarded);
      else if (node.type === 'Identifier' || node.type === 'MemberExpression')
        enterNamed(nameOf(node), isGuarded);
      open.push([node, isGuarded]);
    };
    /** `{ success: show }` of `$.ajax({ … })`. */
    const handOnOptions = ({ properties }: ObjectExpression, isGuarded: boolean): void => {
      for (const one of properties)
        if (one.type === 'Property' && ownOptions.test(nameOf(one.key) ?? '')) handOn(one.value, isGuarded);
    };

    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [node, isGuarded] = next;
      visitor.visit(node, isGuarded, source);
      // It runs where it is called or handed on.
      if (isFunction(node) || isClass(node)) continue;
      if (node.type === 'CallExpression' || node.type === 'NewExpression') {
        const { callee } = node;
        if (isFunction(callee)) enter(callee, isGuarded);
        else enterNamed(nameOf(callee), isGuarded);
        open.push([callee, isGuarded]);
        const waits = waitsForReader(node);
        for (const argument of node.arguments) {
          if (!waits) handOn(argument, isGuarded || isToldOf(node));
          else if (!isFunction(argument)) open.push([argument, isGuarded]);
          if (!waits && argument.type === 'ObjectExpression' && !isForLater(node))
            handOnOptions(argument, isGuarded || isToldOf(node));
        }
        const code =
          /^set(Timeout|Interval)$/.test(nameOf(callee) ?? '') && !waits ? textOf(node.arguments[0]) : null;
        const tree = code === null ? null : parseScript(code);
        if (code === null || tree === null) continue;
        collect(tree, code);
        open.push([tree, isGuarded]);
      } else if (node.type === 'AssignmentExpression' && ownEvents.test(nameOf(node.left) ?? '')) {
        handOn(node.right, isGuarded);
        open.push([node.left, isGuarded]);
      } else if (node.type === 'IfStatement' || node.type === 'ConditionalExpression') {
        const condition = conditions.get(node) ?? noCondition;
        open.push([node.test, isGuarded]);
        if (!isForOthers(condition.text)) open.push([node.consequent, isGuarded || isGuard(condition, true)]);
        if (node.alternate != null) open.push([node.alternate, isGuarded || isGuard(condition, false)]);
      } else if (node.type === 'LogicalExpression') {
        const isNarrow = isGuarded || isGuard(conditions.get(node) ?? noCondition, node.operator === '&&');
        open.push([node.left, isGuarded], [node.right, isNarrow]);
      } else if (node.type === 'TryStatement') {
        // What catches runs only where something has failed.
        if (node.handler != null) open.push([node.handler, true]);
        open.push([node.block, isGuarded]);
        if (node.finalizer != null) open.push([node.finalizer, isGuarded]);
      } else if (node.type === 'BlockStatement') {
        let isNarrow = isGuarded;
        for (const one of node.body) {
          open.push([one, isNarrow]);
          // `if (!asked) return;` is a condition of all that follows.
          isNarrow ||=
            one.type === 'IfStatement' &&
            isExit(one.consequent) &&
            isAsked(conditions.get(one) ?? noCondition, false);
        }
      } else for (const child of childrenOf(node)) open.push([child, isGuarded]);
    }
  }

  for (const text of scripts) {
    const tree = parseScript(text);
    if (tree === null) continue;
    sources.set(tree, text);
    collect(tree, text);
  }
  for (const [tree, text] of sources) run(tree, text);
}

function isExit(node: AnyNode): boolean {
  const last = node.type === 'BlockStatement' ? node.body.at(-1) : node;
  return last?.type === 'ReturnStatement';
}

/** On it hangs whether the rest of the node runs. */
function conditionOf(node: AnyNode): AnyNode | null {
  if (node.type === 'IfStatement' || node.type === 'ConditionalExpression') return node.test;
  return node.type === 'LogicalExpression' ? node.left : null;
}

/** As far as the text of both ways tells. */
function leavesEither(node: AnyNode, text: string): boolean {
  const leaves = ({ start, end }: AnyNode) =>
    leaving.test(text.slice(start, Math.min(end, start + longestCondition)));
  let way: AnyNode | null | undefined = node;
  for (let n = 0; way?.type === 'IfStatement' && n < mostWays; n++) {
    if (!leaves(way.consequent)) return false;
    way = way.alternate;
  }
  return node.type === 'IfStatement' && way != null && way.type !== 'IfStatement' && leaves(way);
}

interface Condition {
  text: string;
  node: AnyNode | null;
  asked: Asked;
  guards: Guards;
  /** The page leads elsewhere whether it is met or not. */
  isEither: boolean;
}

const noCondition: Condition = { text: '', node: null, asked: new Set(), guards: noGuards, isEither: false };

/**
 * Conditions may stand one within another: each is looked at only so far.
 *
 * @param isMet whether what hangs on it runs where it is met, or where it is not.
 */
const isGuard = (condition: Condition, isMet: boolean): boolean =>
  (!condition.isEither && isOnBrowser(condition.text, condition.guards)) || isAsked(condition, isMet);

/** What hangs on it runs only where the page's address asks for it. */
const isAsked = ({ text, node, asked }: Condition, isMet: boolean): boolean =>
  node !== null && text.length <= longestCondition && asksOfAddress(node, asked, isMet);

const isOther = (condition: string): boolean => otherBrowser.test(condition) && !doubtful.test(condition);

/** Plainly for other browsers only; in doubt it is for this one. */
function isForOthers(condition: string): boolean {
  if (condition.length > longestCondition) return false;
  // `!!x` is x, and `!= -1` says that it was found.
  return condition
    .replace(/!!|!==?\s*-\s*1\b/g, '')
    .split('||')
    .every((part) => !part.includes('!(') && part.split('&&').some(isOther));
}

function namedValueOf(node: AnyNode): [string | null, AnyNode | null] {
  const isBody = (value: AnyNode | null | undefined): value is AnyNode => isFunction(value) || isClass(value);
  if (isFunction(node) || isClass(node)) {
    const { id } = node as { id?: AnyNode | null };
    return [nameOf(id), node];
  }
  if (node.type === 'VariableDeclarator' && isBody(node.init)) return [nameOf(node.id), node.init];
  if (node.type === 'Property' && isBody(node.value)) return [nameOf(node.key), node.value];
  if (node.type === 'MethodDefinition' || node.type === 'PropertyDefinition')
    return isBody(node.value) ? [nameOf(node.key), node.value] : [null, null];
  if (node.type === 'AssignmentExpression' && isBody(node.right)) return [nameOf(node.left), node.right];
  return [null, null];
}

function isClass(node: AnyNode | null | undefined): boolean {
  return node?.type === 'ClassDeclaration' || node?.type === 'ClassExpression';
}

export function waitsForReader(call: Call): boolean {
  const name = nameOf(call.callee) ?? '';
  const [first, second] = call.arguments;
  if (/^set(Timeout|Interval)$/.test(name))
    return second?.type === 'Literal' && Number(second.value) >= longestWaitMs;
  if (listeners.has(name)) {
    // Into which a form is sent, say.
    const object = objectOf(call.callee);
    if (object?.type === 'CallExpression' && /frame/i.test(textOf(object.arguments[0]) ?? '')) return true;
    const events = textOf(first) ?? '';
    return !events.split(/\s+/).some((event) => ownEvents.test(event.replace(/\..*$/, '')));
  }
  return byReader.test(name) && rootOf(call.callee) !== 'document' && call.arguments.length > 0;
}

/** `$('form').ajaxForm(…)`: a widget of what is there already waits for its reader. */
const isForLater = ({ callee }: Call): boolean =>
  objectOf(callee)?.type === 'CallExpression' || tellsOthers.test(nameOf(callee) ?? '');

/** It runs for what others say: a frame, or whoever calls `form.onSuccess(…)` back. */
function isToldOf({ callee, arguments: [event] }: Call): boolean {
  const name = nameOf(callee) ?? '';
  if (listeners.has(name)) return /^(on)?message$/.test(textOf(event) ?? '');
  if (name === 'subscribe') return textOf(event) !== null;
  return /^on(?!load|ready)[A-Z]/i.test(name) && !listeners.has(name) && objectOf(callee) !== null;
}
