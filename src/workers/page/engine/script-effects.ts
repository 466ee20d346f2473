import type { AnyNode, AssignmentExpression, CallExpression, NewExpression } from 'acorn';
import { walkRunningCode } from './running-code.ts';
import { isMadeNotice } from './made-markup.ts';
import { isFunction, nameOf, objectOf, textOf } from './script-tree.ts';
import { readJquery } from './jquery-writes.ts';
import { isLeaving, isLocation, isWriting, leavesFrame, submits } from './leaving.ts';
import { LookupAliases } from './lookup-aliases.ts';
import { findUsedLookups } from './used-lookups.ts';
import {
  isAdded,
  isJquery,
  isMade,
  jqueryMoves,
  type Known,
  lookupOf,
  memberName,
  nameIn,
  placeOf,
  resolve,
  sourceOf,
  type Write,
} from './script-places.ts';
import {
  isLabel,
  isPlainText,
  isSilentMarkup,
  isText,
  isWording,
  isUntold,
  overlays,
  saysNothing,
} from './written-value.ts';

/** What one script does. */
export interface Work {
  source: string;
  writes: Write[];
  /** What else it looks up in its page, as CSS selectors, and the function that it gives that to; what becomes of it it does not say plainly. */
  lookups: { place: string; by: string }[];
}

export interface ScriptEffects {
  /** The page leads elsewhere, or is loaded again. */
  leaves: boolean;
  works: Work[];
}

const contentProperties = new Set(['innerHTML', 'outerHTML', 'textContent', 'innerText']);
const insertions = new Set(
  'append appendChild prepend insertBefore before after replaceWith replaceChildren insertAdjacentHTML insertAdjacentText insertAdjacentElement'.split(
    ' ',
  ),
);
/** For which short names stand in one function of a long script, and for others in the next. */
const wholePage = /^(body|documentElement)$/;
const mounts = new Set(['mount', 'render', '$mount']);
/** What brings other scripts, styles and counters, but no content. */
const silentTags =
  /^(script|style|link|meta|img|iframe|noscript|base|canvas|template|svg|object|audio|video|source)$/i;

/** `document.write` of further scripts, in pieces as often as not. */
const bringsScripts = /document\.write(ln)?\s*\([^)]{0,40}(<|\\x3c|%3c)(scr|img|link|iframe|style)/i;
/** What longer ones look up is for all kinds of pages. Characters. */
const longestPlainScript = 24_000;
/** Only of such scripts is a tree made. */
const mayHaveEffects =
  /innerHTML|outerHTML|textContent|innerText|insertAdjacent|\.(append|prepend|after|before|html|text|load|appendTo|prependTo)\b|\b(mount|render)\b|\bel\s*:|\btarget\s*:|setHTML|insert(Row|Cell)|appendChild|insertBefore|replaceWith|replaceChildren|location|document\.write|navigation\.navigate|\.submit\b|['"`]_(self|top|parent)\b|dataTable/i;

/** What the scripts of a page do to it when it loads, as far as their text tells. */
export function readScriptEffects(scripts: readonly string[]): ScriptEffects {
  const effects: ScriptEffects = { leaves: false, works: [] };
  if (!scripts.some((script) => mayHaveEffects.test(script))) return effects;
  const variables = new Map<string, AnyNode>();
  const aliases = new LookupAliases();
  const works = new Map<string, Work>();
  const workOf = (source: string): Work => {
    const work = works.get(source) ?? { source, writes: [], lookups: [] };
    works.set(source, work);
    return work;
  };
  const ambiguous = new Set<string>();
  const give = (name: string | null, value: AnyNode) => {
    if (name !== null && variables.has(name)) ambiguous.add(name);
    keep(variables, name, value);
  };
  /** Nothing more is done with what these answer. */
  const statements = new Set<AnyNode>();
  const calls: [CallExpression, Work][] = [];
  const loaders = new Set(scripts.filter((script) => bringsScripts.test(script)));
  const sent: CallExpression[] = [];
  const news: [NewExpression, Work][] = [];
  const assignments: [AssignmentExpression, Work][] = [];
  walkRunningCode(scripts, {
    visit(node, isGuarded, source) {
      aliases.read(node);
      if (node.type === 'ExpressionStatement') statements.add(node.expression);
      if (isFunction(node)) for (const one of node.params) ambiguous.add(nameOf(one) ?? '');
      if (node.type === 'VariableDeclarator' && node.init != null) give(nameOf(node.id), node.init);
      if (node.type === 'ForOfStatement' && node.left.type === 'VariableDeclaration')
        keep(variables, nameOf(node.left.declarations[0]?.id), node.right);
      if (node.type === 'AssignmentExpression') {
        const name = nameOf(node.left);
        // What is added to a text is not what it stands for.
        if (node.operator === '+=' && name !== null) ambiguous.add(name);
        if (node.operator === '=')
          give(node.left.type === 'Identifier' ? name : name && memberName(name), node.right);
        if (!isGuarded && isLocation(node.left) && !leavesFrame(node)) effects.leaves = true;
        assignments.push([node, workOf(source)]);
      }
      if (node.type === 'CallExpression') {
        if (!isGuarded && isLeaving(node)) effects.leaves = true;
        else if (!isGuarded) sent.push(node);
        keepParameter(variables, node);
        if (!isWriting(node) || !loaders.has(source)) calls.push([node, workOf(source)]);
      }
      if (node.type === 'NewExpression') news.push([node, workOf(source)]);
    },
  });
  // Once all that runs has been seen: what a name stands for may be said behind its use.
  const known = {
    variables,
    parents: readParents(calls),
    used: findUsedLookups(
      calls.map(([call]) => call),
      statements,
    ),
    ambiguous,
    aliases,
  };
  for (const [call, work] of calls) readCall(call, known, work);
  effects.leaves ||= sent.some((call) => submits(call, known));
  for (const [assignment, work] of assignments) readAssignment(assignment, known, work);
  for (const [one, work] of news) readNew(one, known, work);
  effects.works.push(...works.values());
  return effects;
}

/** `row` of `rows.forEach((row) => …)` is one of the rows. */
function keepParameter(variables: Map<string, AnyNode>, { callee, arguments: values }: CallExpression): void {
  const list = objectOf(callee);
  const [action] = values;
  if (list === null || !/^(forEach|each|map)$/.test(nameOf(callee) ?? '')) return;
  if (action?.type !== 'ArrowFunctionExpression' && action?.type !== 'FunctionExpression') return;
  const isEach = nameOf(callee) === 'each';
  keep(variables, nameOf(action.params[isEach ? 1 : 0]), list);
}

/** `new Vue({ el: '#shop' })`, `new App({ target: document.getElementById('shop') })`. */
function readNew({ arguments: values }: NewExpression, known: Known, work: Work): void {
  const [options] = values;
  if (options?.type !== 'ObjectExpression') return;
  for (const one of options.properties) {
    if (one.type !== 'Property' || !/^(el|target)$/.test(nameOf(one.key) ?? '')) continue;
    const place = textOf(one.value) ?? placeOf(one.value, known);
    if (place !== null) work.writes.push({ place, replaces: true });
  }
}

function readParents(calls: readonly [CallExpression, Work][]): Map<string, AnyNode> {
  const parents = new Map<string, AnyNode>();
  for (const [{ callee, arguments: values }] of calls) {
    const object = objectOf(callee);
    if (object === null || !insertions.has(nameOf(callee) ?? '')) continue;
    for (const value of values) if (value.type === 'Identifier') parents.set(value.name, object);
  }
  return parents;
}

function keep(variables: Map<string, AnyNode>, name: string | null, value: AnyNode): void {
  if (name !== null && !variables.has(name)) variables.set(name, value);
}

/** Of what a script names like one: a banner may be a place of the page's own. */
const isOverlayPlace = (place: string | null): boolean =>
  place === null || place.split(/[^\w-]+/).some((name) => overlays.test(name));

const isPlain = ({ source }: Work): boolean => source.length <= longestPlainScript;

function readAssignment(node: AssignmentExpression, known: Known, work: Work): void {
  const object = objectOf(node.left);
  if (object === null || !contentProperties.has(nameOf(node.left) ?? '')) return;
  if (isSilent(object, known) || saysNothing(node.right)) return;
  const labels = isLabel(node.right);
  const isCreated = createdTag(object, known) !== null;
  if (labels && isCreated) return;
  const place = placeOf(object, known);
  if (overlays.test(nameOf(object) ?? '') && (isCreated || isOverlayPlace(place))) return;
  const isWords = /^(textContent|innerText)$/.test(nameOf(node.left) ?? '') || isPlainText(node.right);
  if (isMadeNotice(node.right, place, known)) return;
  if (place === 'body' && !isPlain(work)) return;
  // Its name stands for something else there: nobody writes words in place of a document.
  if (place === 'documentElement' && isWords) return;
  const rewords = isWords && !isAdded(object, known);
  work.writes.push({
    place,
    from: sourceOf(node.right, known),
    replaces: node.operator === '=',
    rewords,
    labels,
    isWording: isWording(node.right),
  });
}

function readCall(node: CallExpression, known: Known, work: Work): void {
  const name = nameOf(node.callee) ?? '';
  const object = objectOf(node.callee);
  const lookup = lookupOf(node) ?? nameIn(node);
  if (lookup !== null && isPlain(work) && !known.used.has(node))
    work.lookups.push({ place: lookup, by: name });
  // What it writes into itself, wherever it stands.
  if (name === 'define' && isPlain(work))
    work.lookups.push({ place: textOf(node.arguments[0]) ?? '', by: name });
  if (mounts.has(name)) readMount(node, known, work);
  if (object === null) return;
  const [first] = node.arguments;
  if (isWriting(node)) {
    const said = node.arguments
      .filter((one) => !saysNothing(one) && !isMadeNotice(one, 'body', known))
      .map((one) => resolve(one, known) ?? one)
      .filter((one) => !isSilentMarkup(one));
    if (said.length > 0) work.writes.push({ place: 'body', replaces: false, isUntold: said.every(isUntold) });
    return;
  }
  if (/^setHTML(Unsafe)?$/.test(name)) {
    work.writes.push({ place: placeOf(object, known), replaces: true });
  } else if (isJquery(object, known) || jqueryMoves.test(name)) {
    work.writes.push(...readJquery(node, object, known));
  } else if (insertions.has(name) && isContent(node, known)) {
    const place = placeOf(object, known);
    if (isPlain(work) || !wholePage.test(place ?? ''))
      work.writes.push({ place, replaces: name.startsWith('replace') });
  } else if (insertions.has(name) && isUnknown(first, known)) {
    // What it makes nobody knows: where the place is empty, that is its content.
    const place = placeOf(object, known);
    if (place !== null && isNamedPlace(place)) work.writes.push({ place, replaces: true });
  }
}

/** What a function makes, or is given. */
function isUnknown(node: AnyNode | undefined, known: Known): boolean {
  const value = resolve(node, known);
  if (value?.type === 'Identifier') return true;
  return (
    value?.type === 'CallExpression' &&
    !isMade(value) &&
    lookupOf(value, known.aliases) === null &&
    !saysNothing(value)
  );
}

const isNamedPlace = (selector: string): boolean => /^[#.][\w-]+$/.test(selector);

/** `createRoot(document.getElementById('shop')).render(…)`, `render(view, shop)`, `createApp(shop).mount('#shop')`. */
function readMount(node: CallExpression, known: Known, work: Work): void {
  const object = objectOf(node.callee);
  const values = [...node.arguments, ...(object === null ? [] : argumentsOf(object))];
  const places = values.map((one) => placeOf(one, known) ?? textOf(one));
  // What is shown is looked at as well: any name may be that of a place.
  for (const place of places)
    if (place !== null && isNamedPlace(place)) work.writes.push({ place, replaces: true });
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
  const inserted = name.startsWith('insertAdjacent') ? second : first;
  if (overlays.test(nameOf(inserted) ?? '')) return false;
  const value = resolve(inserted, known);
  if (value === null || saysNothing(value) || isMadeNotice(inserted ?? value, placeOf(object, known), known))
    return false;
  if (value.type === 'SpreadElement') return true;
  const makes = value.type === 'CallExpression' ? (nameOf(value.callee) ?? '') : '';
  if (makes === 'createTextNode' && value.type === 'CallExpression')
    return value.arguments[0] !== undefined && !saysNothing(value.arguments[0]);
  if (/^(cloneNode|importNode|assign)$/.test(makes)) return true;
  if (name === 'insertAdjacentHTML' || name === 'insertAdjacentText') return true;
  return /^(append|prepend|before|after|replaceWith|replaceChildren)$/.test(name) && isText(value);
}

/** A style, a script and the like that the script has made. */
const isSilent = (node: AnyNode, known: Known): boolean => silentTags.test(createdTag(node, known) ?? '');

/** Of an element that the script has made; empty where it does not say which. */
function createdTag(node: AnyNode, known: Known): string | null {
  const value = resolve(node, known);
  if (value?.type !== 'CallExpression' || nameOf(value.callee) !== 'createElement') return null;
  return textOf(value.arguments[0]) ?? '';
}
