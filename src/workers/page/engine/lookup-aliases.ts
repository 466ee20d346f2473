import type { AnyNode } from 'acorn';
import { type Call, isFunction, nameOf, objectOf } from './script-tree.ts';

/** What looks up elements of a page, whatever else a script calls so. */
export const lookupNames =
  /^(getElementById|getElementsByClassName|getElementsByTagName|querySelector|querySelectorAll|\$|\$\$|jQuery|find)$/;
const jquery = /^(\$|jQuery)$/;

/** Other names that a page's scripts have for what looks up its elements: `$j`, `byId`. */
export class LookupAliases {
  /** What each stands for. */
  readonly #names = new Map<string, string>();

  /** @param node what runs, or a function that is declared in it. */
  read(node: AnyNode): void {
    if (node.type === 'VariableDeclarator') this.#keep(node.id, lookupIn(node.init));
    else if (node.type === 'AssignmentExpression') this.#keep(node.left, lookupIn(node.right));
    else if (node.type === 'FunctionDeclaration') this.#keep(node.id, lookupIn(node));
    else if (node.type === 'CallExpression') this.#readParameters(node);
  }

  /** @returns the name itself where it stands for no other. */
  lookupOf(name: string): string {
    return this.#names.get(name) ?? name;
  }

  isJquery(name: string | null): boolean {
    return name !== null && jquery.test(this.lookupOf(name));
  }

  /** `jQuery(function ($j) { … })`, `jQuery(document).ready(function ($j) { … })`, `(function ($j) { … })(jQuery)`. */
  #readParameters(call: Call): void {
    const { callee, arguments: values } = call;
    const at = values.findIndex((value) => value.type === 'Identifier' && jquery.test(value.name));
    if (isFunction(callee)) this.#keepParameter(callee, at);
    else if (jquery.test(nameOf(callee) ?? '')) this.#keepParameter(values[0], 0);
    else if (nameOf(callee) === 'ready' && isJqueryCall(objectOf(callee))) this.#keepParameter(values[0], 0);
  }

  #keepParameter(node: AnyNode | undefined, at: number): void {
    if (node?.type === 'FunctionExpression' || node?.type === 'ArrowFunctionExpression')
      this.#keep(node.params[at], 'jQuery');
  }

  #keep(node: AnyNode | null | undefined, lookup: string | null): void {
    if (node?.type === 'Identifier' && lookup !== null && !lookupNames.test(node.name))
      this.#names.set(node.name, lookup);
  }
}

const isJqueryCall = (node: AnyNode | null): boolean =>
  node?.type === 'CallExpression' && jquery.test(nameOf(node.callee) ?? '');

/** What a value looks elements up by, if it is for nothing else. */
function lookupIn(value: AnyNode | null | undefined): string | null {
  if (value == null) return null;
  if (value.type === 'Identifier') return jquery.test(value.name) ? value.name : null;
  if (value.type === 'CallExpression') {
    const object = objectOf(value.callee);
    const name = nameOf(value.callee);
    if (name === 'noConflict') return jquery.test(nameOf(object) ?? '') ? 'jQuery' : null;
    return name === 'bind' ? lookupNamed(object) : null;
  }
  const { params, body } = value as { params?: AnyNode[]; body?: AnyNode };
  const [first] = params ?? [];
  if (!isFunction(value) || first?.type !== 'Identifier') return null;
  const answer = body?.type === 'BlockStatement' && body.body.length === 1 ? body.body[0] : body;
  const call = answer?.type === 'ReturnStatement' ? answer.argument : answer;
  const asked = call?.type === 'CallExpression' ? call.arguments[0] : undefined;
  if (call?.type !== 'CallExpression' || asked?.type !== 'Identifier') return null;
  return asked.name === first.name ? lookupNamed(call.callee) : null;
}

function lookupNamed(node: AnyNode | null): string | null {
  const name = nameOf(node);
  return name !== null && lookupNames.test(name) ? name : null;
}
