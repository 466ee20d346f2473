import type { AnyNode, Identifier } from 'acorn';
import { childrenOf, isFunction } from './script-tree.ts';

/** A part of a script that has variables of its own. */
interface Scope {
  id: number;
  depth: number;
  outer: Scope | null;
  /** Where a `var` within it is declared. */
  ofFunction: Scope;
  names: Set<string>;
}

/** Scopes one in another; what is deeper shares the innermost. */
const deepest = 100;
const bindings = new WeakMap<Identifier, string>();
let lastId = 0;

/** What a name stands for: a variable of a function's own is another one in each function, one of the page is the same in all scripts. */
export const bindingOf = (node: Identifier): string => bindings.get(node) ?? node.name;

/** Tells names apart that stand for different things: minified scripts call all that they have `a`, `b` and `c`. */
export function bindNames(root: AnyNode): void {
  const used: [Identifier, Scope][] = [];
  const page = openScope(null, true);
  const open: [AnyNode, Scope][] = [[root, page]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, around] = next;
    if (node.type === 'Identifier') {
      used.push([node, around]);
      continue;
    }
    const scope = hasScope.test(node.type) ? openScope(around, isFunction(node)) : around;
    declare(node, scope, around);
    for (const child of childrenOf(node)) if (!isNameOfProperty(child, node)) open.push([child, scope]);
  }
  for (const [node, around] of used) {
    let scope: Scope | null = around;
    while (scope !== null && !scope.names.has(node.name)) scope = scope.outer;
    if (scope !== null && scope !== page) bindings.set(node, `${node.name} ${scope.id}`);
  }
}

const hasScope = /Function|^(BlockStatement|CatchClause|SwitchStatement|For(In|Of)?Statement)$/;

function openScope(outer: Scope | null, isFunctions: boolean): Scope {
  const depth = (outer?.depth ?? 0) + 1;
  // A name is looked for in each scope around it.
  if (outer !== null && depth > deepest) return outer;
  const scope = { id: ++lastId, depth, outer, names: new Set<string>() } as Scope;
  scope.ofFunction = isFunctions ? scope : (outer?.ofFunction ?? scope);
  return scope;
}

function declare(node: AnyNode, scope: Scope, around: Scope): void {
  if (node.type === 'VariableDeclaration') {
    const { names } = node.kind === 'var' ? scope.ofFunction : scope;
    for (const { id } of node.declarations) addNames(id, names);
  } else if (node.type === 'CatchClause') {
    if (node.param != null) addNames(node.param, scope.names);
  } else if (node.type === 'ClassDeclaration') {
    if (node.id !== null) addNames(node.id, scope.names);
  } else if (isFunction(node)) {
    const { id, params, type } = node as { id?: AnyNode | null; params: AnyNode[]; type: string };
    if (id != null) addNames(id, (type === 'FunctionDeclaration' ? around.ofFunction : scope).names);
    for (const one of params) addNames(one, scope.names);
  }
}

/** Of `a`, and of all in `{ b, c: [d = 1, ...e] }`. */
function addNames(pattern: AnyNode, names: Set<string>): void {
  const open: (AnyNode | null)[] = [pattern];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node?.type === 'Identifier') names.add(node.name);
    else if (node?.type === 'AssignmentPattern') open.push(node.left);
    else if (node?.type === 'RestElement') open.push(node.argument);
    else if (node?.type === 'ArrayPattern') for (const one of node.elements) open.push(one);
    else if (node?.type === 'ObjectPattern') for (const one of node.properties) open.push(one);
    else if (node?.type === 'Property') open.push(node.value);
  }
}

/** `b` of `a.b` and of `{ b: a }`. */
function isNameOfProperty(child: AnyNode, node: AnyNode): boolean {
  if (node.type === 'MemberExpression') return !node.computed && child === node.property;
  const hasKey =
    node.type === 'Property' || node.type === 'MethodDefinition' || node.type === 'PropertyDefinition';
  return hasKey && !node.computed && child === node.key;
}
