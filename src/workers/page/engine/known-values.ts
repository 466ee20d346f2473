import type { AnyNode, CallExpression, MemberExpression } from 'acorn';
import { bindingsOf } from './asked-of-address.ts';
import { childrenOf, nameOf, objectOf, textOf } from './script-tree.ts';

/** What a value says: nothing by itself; what its page or its reader knows already; or perhaps more. */
type Saying = 'nothing' | 'known' | 'more';

const finders =
  /^(getElementById|getElementsByClassName|getElementsByTagName|querySelector|querySelectorAll|closest)$/;
const jquery = /^(\$|jQuery)$/;
/** Of an element: what it shows, and its name. Other attributes, and its markup, may hold what is not shown yet. */
const shown = /^(textContent|innerText|length|id)$/;
const relatives =
  /^(body|documentElement|children|(first|last)ElementChild|(next|previous)ElementSibling|parent(Element|Node)|first|last|eq|find|parent|next|prev)$/;
/** Of the reader: where, when and by what the page is read. */
const ofReader = /^(location|navigator|screen|localStorage|sessionStorage)$/;
const ofDocument = /^(lastModified|title|URL|referrer|cookie|location)$/;
const conversions = /^(Number|String|parseInt|parseFloat|encodeURI(Component)?|escape)$/;
/** Of days and months; longer ones are texts. Characters. */
const longestName = 20;
const mostNames = 40;
const deepest = 60;

/** The names of one script, each with all that it is given anywhere in it. */
interface Names {
  given: Map<string, (AnyNode | null)[]>;
  said: Map<string, Saying>;
}

/**
 * Tells which values of a page's scripts say nothing that a reader of its HTML would miss: its own headings, numbers of
 * what it shows, the time, the device, what the browser has kept.
 */
export class KnownValues {
  readonly #names = new WeakMap<AnyNode, Names>();
  readonly #said = new WeakMap<AnyNode, Saying>();

  /** @param root of a script. */
  read(root: AnyNode): void {
    const names: Names = { given: new Map(), said: new Map() };
    /** What a name stands for within a loop: one of those that this finds. */
    const ones = new Map<AnyNode, AnyNode>();
    const open: AnyNode[] = [root];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (node.type === 'Identifier') this.#names.set(node, names);
      const [one, all] = loopOf(node);
      if (one !== null && all !== null) ones.set(one, all);
      for (const [target, value] of bindingsOf(node)) {
        if (target?.type !== 'Identifier') continue;
        const given = names.given.get(target.name) ?? [];
        given.push(value ?? ones.get(target) ?? null);
        names.given.set(target.name, given);
      }
      for (const child of childrenOf(node)) open.push(child);
    }
  }

  has(value: AnyNode): boolean {
    return this.#sayingOf(value, 0) === 'known';
  }

  #sayingOf(node: AnyNode, depth: number): Saying {
    if (depth > deepest) return 'more';
    const known = this.#said.get(node);
    if (known !== undefined) return known;
    // Until it is known: what is given itself says more.
    this.#said.set(node, 'more');
    const saying = this.#judge(node, depth + 1);
    this.#said.set(node, saying);
    return saying;
  }

  #judge(node: AnyNode, depth: number): Saying {
    const all = (nodes: readonly AnyNode[]): Saying => joined(nodes.map((one) => this.#sayingOf(one, depth)));
    switch (node.type) {
      case 'Literal':
        return 'nothing';
      case 'TemplateLiteral':
        return all(node.expressions);
      case 'BinaryExpression':
      case 'LogicalExpression':
        return all([node.left as AnyNode, node.right]);
      case 'ConditionalExpression':
        return all([node.test, node.consequent, node.alternate]);
      case 'UnaryExpression':
        return all([node.argument]);
      case 'ChainExpression':
        return all([node.expression]);
      case 'ObjectExpression':
        return all(node.properties.map((one) => (one.type === 'Property' ? one.value : one.argument)));
      case 'Identifier':
        return this.#sayingOfName(node.name, node, depth);
      case 'MemberExpression':
        return this.#sayingOfMember(node, depth);
      case 'NewExpression': {
        const isTime = nameOf(node.callee) === 'Date';
        return !isTime ? 'more' : node.arguments.length === 0 ? 'known' : all(node.arguments);
      }
      case 'CallExpression':
        return this.#sayingOfCall(node, depth);
      default:
        return 'more';
    }
  }

  #sayingOfName(name: string, node: AnyNode, depth: number): Saying {
    const names = this.#names.get(node);
    if (names === undefined) return 'more';
    const given = names.given.get(name);
    if (given === undefined) return ofReader.test(name) ? 'known' : 'more';
    const known = names.said.get(name);
    if (known !== undefined) return known;
    names.said.set(name, 'more');
    const saying = joined(given.map((one) => (one === null ? 'more' : this.#sayingOf(one, depth))));
    names.said.set(name, saying);
    return saying;
  }

  #sayingOfMember(node: MemberExpression, depth: number): Saying {
    const { object, property, computed } = node;
    const name = nameOf(node) ?? '';
    if (!computed && this.#isElement(object, depth)) return shown.test(name) ? 'known' : 'more';
    if (object.type === 'Identifier' && !this.#isGiven(object)) {
      if (object.name === 'document') return ofDocument.test(name) ? 'known' : 'more';
      if (object.name === 'window')
        return ofReader.test(name) || /^inner(Width|Height)$/.test(name) ? 'known' : 'more';
    }
    // `days[now.getDay()]`
    if (computed && this.#isOfNames(object)) return this.#sayingOf(property as AnyNode, depth);
    return this.#sayingOf(object, depth);
  }

  #sayingOfCall({ callee, arguments: values }: CallExpression, depth: number): Saying {
    const name = nameOf(callee) ?? '';
    const object = objectOf(callee);
    const given = values.map((one) => this.#sayingOf(one, depth));
    if (object === null)
      return callee.type === 'Identifier' && conversions.test(name) && !this.#isGiven(callee)
        ? joined(given)
        : 'more';
    const owner = object.type === 'Identifier' && !this.#isGiven(object) ? object.name : '';
    if (owner === 'Date' && name === 'now') return 'known';
    if (owner === 'Math') return joined(given);
    if (name === 'text' && values.length === 0 && this.#isElement(object, depth)) return 'known';
    return joined([this.#sayingOf(object, depth), ...given]);
  }

  /** An element of the page itself, or several. */
  #isElement(node: AnyNode, depth: number): boolean {
    if (depth > deepest) return false;
    if (node.type === 'ChainExpression') return this.#isElement(node.expression, depth + 1);
    if (node.type === 'Identifier') {
      const [given, ...others] = this.#names.get(node)?.given.get(node.name) ?? [];
      return given != null && others.length === 0 && this.#isElement(given, depth + 1);
    }
    const link = node.type === 'CallExpression' ? node.callee : node;
    const object = objectOf(link);
    const name = nameOf(link) ?? '';
    if (node.type === 'CallExpression' && finders.test(name)) {
      const isWhole = object?.type === 'Identifier' && object.name === 'document';
      return isWhole || (object !== null && this.#isElement(object, depth + 1));
    }
    if (node.type === 'CallExpression' && jquery.test(name)) {
      const selector = textOf(node.arguments[0]);
      return node.arguments.length === 1 && selector !== null && !selector.includes('<');
    }
    if (object === null) return false;
    const isRelative = relatives.test(name) || (node.type === 'MemberExpression' && node.computed);
    return isRelative && this.#isElement(object, depth + 1);
  }

  /** The script calls something of its own so. */
  #isGiven(node: AnyNode): boolean {
    return node.type === 'Identifier' && this.#names.get(node)?.given.has(node.name) !== false;
  }

  /** A list of names that a script has for days and the like. */
  #isOfNames(node: AnyNode): boolean {
    if (node.type === 'ArrayExpression')
      return (
        node.elements.length <= mostNames &&
        node.elements.every((one) => (textOf(one)?.length ?? longestName + 1) <= longestName)
      );
    if (node.type !== 'Identifier') return false;
    const [given, ...others] = this.#names.get(node)?.given.get(node.name) ?? [];
    return given?.type === 'ArrayExpression' && others.length === 0 && this.#isOfNames(given);
  }
}

function joined(sayings: readonly Saying[]): Saying {
  if (sayings.includes('more')) return 'more';
  return sayings.includes('known') ? 'known' : 'nothing';
}

/** `one` and `all` of `for (const one of all)` and `all.forEach((one) => …)`. */
function loopOf(node: AnyNode): [AnyNode | null, AnyNode | null] {
  if (node.type === 'ForOfStatement') {
    const one = node.left.type === 'VariableDeclaration' ? node.left.declarations[0]?.id : node.left;
    return [one ?? null, node.right];
  }
  if (node.type !== 'CallExpression' || nameOf(node.callee) !== 'forEach') return [null, null];
  const [action] = node.arguments;
  if (action?.type !== 'FunctionExpression' && action?.type !== 'ArrowFunctionExpression')
    return [null, null];
  return [action.params[0] ?? null, objectOf(node.callee)];
}
