import {
  type AnyNode,
  type ArrowFunctionExpression,
  type CallExpression,
  type FunctionDeclaration,
  type FunctionExpression,
  type NewExpression,
  parse,
} from 'acorn';

/** @returns null for what is no script; a browser would not run it either. */
export function parseScript(text: string): AnyNode | null {
  for (const sourceType of ['script', 'module'] as const) {
    try {
      return parse(text, {
        ecmaVersion: 'latest',
        sourceType,
        allowReturnOutsideFunction: true,
        allowHashBang: true,
      });
    } catch {
      // A module may be no script, and the other way round.
    }
  }
  return null;
}

export function childrenOf(node: AnyNode): AnyNode[] {
  const children: AnyNode[] = [];
  for (const value of Object.values(node) as unknown[]) {
    // One by one: there may be more than a call can be given.
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value])
      if (isNode(one)) children.push(one);
  }
  return children;
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

export function isFunction(
  node: AnyNode | null | undefined,
): node is ArrowFunctionExpression | FunctionDeclaration | FunctionExpression {
  return node != null && /^(Arrow)?Function(Expression|Declaration)$/.test(node.type);
}

/** `f` of `f()`, `a.f()` and `a['f']()`; what is assigned to by `f =` and `a.f =`. */
export function nameOf(node: AnyNode | null | undefined): string | null {
  if (node == null) return null;
  if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') return node.name;
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : null;
  if (node.type === 'ChainExpression') return nameOf(node.expression);
  return node.type === 'MemberExpression' ? nameOf(node.property) : null;
}

/** `a` of `a.f`. */
export function objectOf(node: AnyNode): AnyNode | null {
  if (node.type === 'ChainExpression') return objectOf(node.expression);
  return node.type === 'MemberExpression' ? node.object : null;
}

/** The text of a string without gaps. */
export function textOf(node: AnyNode | null | undefined): string | null {
  if (node?.type === 'Literal') return typeof node.value === 'string' ? node.value : null;
  const isPlain = node?.type === 'TemplateLiteral' && node.expressions.length === 0;
  return isPlain ? (node.quasis[0]?.value.cooked ?? null) : null;
}

/** Each link of a chain may be asked for its root: none is gone through twice. */
const roots = new WeakMap<AnyNode, string | null>();

/** The name that a chain of calls and members begins with: `$` of `$('#a').find('b').html(c)`. */
export function rootOf(node: AnyNode | null): string | null {
  const links: AnyNode[] = [];
  let root: string | null = null;
  for (let at = node; at !== null;) {
    const known = roots.get(at);
    if (known !== undefined) {
      root = known;
      break;
    }
    links.push(at);
    if (at.type === 'Identifier') root = at.name;
    if (at.type === 'ThisExpression') root = 'this';
    at = at.type === 'CallExpression' || at.type === 'NewExpression' ? at.callee : objectOf(at);
  }
  for (const link of links) roots.set(link, root);
  return root;
}

export type Call = CallExpression | NewExpression;
