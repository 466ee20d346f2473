import { type ChildNode, type Document, Element, isComment, isTag, isText, Text } from 'domhandler';
import { adapter } from 'parse5-htmlparser2-tree-adapter';
import { isSilent } from './element-kinds.ts';
import { walk } from './walk.ts';

/** A text, or a formula in it. */
interface Piece {
  text: string;
  formula: 'inline' | 'block' | null;
}

interface Renderer {
  /** Whether the page loads MathJax or KaTeX. */
  isThere: boolean;
  /** Whether it takes single dollars for marks of a formula. */
  takesDollars: boolean;
}

const lineBreak = '\u2028';
const longest = 10_000;
const renderers = /\b(?:mathjax|katex)\b|renderMathInElement/i;
const dollars = /inlineMath\s*:\s*\[[^\]]{0,200}\[\s*["']\$["']|left\s*:\s*["']\$["']/;
const rawTags = new Set(['pre', 'code', 'kbd', 'samp', 'tt', 'math']);
const ignored = /(?:^|\s)(?:tex2jax_ignore|mathjax_ignore)(?:\s|$)/;
const opening = /\\\\|\\\$|\\\(|\\\[|\$\$?|\\begin\{([a-z]{1,20}\*?)\}/g;
const environments =
  /^(?:align|alignat|aligned|array|bmatrix|cases|eqnarray|equation|flalign|gather|gathered|matrix|multline|pmatrix|split|vmatrix)\*?$/;
/**
 * A command, or what stands below or above a letter or a bracket: no name of a variable, and no price, shell or regular
 * expression has it.
 */
const texSign = /\\[A-Za-z]{2}|(?:(?<![\p{L}_\\])\p{L}[_^]|[\d)]\^)(?:\{|[\p{L}\p{N}](?![\p{L}_]))/u;
const isEquation = (text: string): boolean => /=/.test(text) && !/\p{L}{2}[\s,;:]+\p{L}{2}/u.test(text);
/** What stands for a variable is no word: of the alphabets that formulas are written in, more than two letters are one. */
const word = /\p{L}{3}|(?![\p{Script=Latin}\p{Script=Greek}])\p{L}/u;
const mathName = /(?:^|\s)math(?:\s|$)/;

/** Makes formulas that a page shows by MathJax or KaTeX, and leaves as TeX in its text until then, formulas of its tree. */
export function replaceRawFormulas(tree: Document): void {
  const renderer: Renderer = { isThere: false, takesDollars: false };
  const texts: (ChildNode & { data: string })[] = [];
  const named: Element[] = [];
  walk(
    tree,
    (element) => {
      const { name: tag, attribs } = element;
      if (tag === 'script' || tag === 'link') readRenderer(element, renderer);
      if ((isSilent(tag) && tag !== 'head') || rawTags.has(tag) || ignored.test(attribs['class'] ?? ''))
        return false;
      if (mathName.test(attribs['class'] ?? '') && element.children.every((child) => isText(child)))
        named.push(element);
      return true;
    },
    () => undefined,
    (node) => {
      if (/\$|\\[([]|\\begin\{/.test(node.data)) texts.push(node as ChildNode & { data: string });
    },
  );
  const done = new Set<ChildNode>();
  const others = new Map<ChildNode, ChildNode[]>();
  for (const text of texts) {
    if (done.has(text)) continue;
    const run = runFrom(text, done);
    const nodes = readRun(run, renderer);
    if (nodes !== null) for (const [at, node] of run.entries()) others.set(node, at === 0 ? nodes : []);
  }
  replaceNodes(others);
  if (renderer.isThere) for (const element of named) replaceNamed(element);
}

function readRenderer({ name, attribs, children: [text] }: Element, renderer: Renderer): void {
  const data = text !== undefined && isText(text) ? text.data : '';
  const told = name === 'script' ? `${attribs['src'] ?? ''} ${attribs['id'] ?? ''}` : (attribs['href'] ?? '');
  if (!renderers.test(told) && !renderers.test(data)) return;
  renderer.isThere = true;
  renderer.takesDollars ||= dollars.test(data);
}

/** The texts that follow each other with no more than line breaks between them. */
function runFrom(text: ChildNode, done: Set<ChildNode>): ChildNode[] {
  const run: ChildNode[] = [];
  for (let node: ChildNode | null = text; node !== null; node = node.next) {
    if (!isText(node) && !isComment(node) && !(isTag(node) && /^w?br$/.test(node.name))) break;
    run.push(node);
    done.add(node);
  }
  return run;
}

/** What stands in the place of a run, where there are formulas in it. */
function readRun(run: readonly ChildNode[], { isThere, takesDollars }: Renderer): ChildNode[] | null {
  const parent = run[0]?.parent ?? null;
  const isMath = parent !== null && isTag(parent) && parent.name === 'math-renderer';
  const text = run
    .map((node) => (isText(node) ? node.data : isTag(node) && node.name === 'br' ? lineBreak : ''))
    .join('');
  const pieces = splitFormulas(text, isThere || isMath, takesDollars || isMath);
  if (!pieces.some(({ formula }) => formula !== null)) return null;
  const nodes: ChildNode[] = [];
  for (const piece of pieces) {
    if (piece.formula !== null) {
      nodes.push(createFormula(piece.text, piece.formula));
      continue;
    }
    for (const [at, line] of piece.text.split(lineBreak).entries()) {
      if (at > 0) nodes.push(new Element('br', {}));
      if (line !== '') nodes.push(new Text(line));
    }
  }
  return nodes;
}

/** Puts others in the place of nodes: all of a parent at once, of whose children there may be very many. */
function replaceNodes(others: ReadonlyMap<ChildNode, readonly ChildNode[]>): void {
  for (const parent of new Set([...others.keys()].map((node) => node.parent))) {
    if (parent === null) continue;
    const children = parent.children.flatMap((child) => others.get(child) ?? [child]);
    for (const [at, child] of children.entries()) {
      child.parent = parent;
      child.prev = children[at - 1] ?? null;
      child.next = children[at + 1] ?? null;
    }
    parent.children = children;
  }
}

const createFormula = (tex: string, formula: 'inline' | 'block'): Element =>
  new Element('math', {
    alttext: tex.replaceAll(lineBreak, '\n').trim(),
    ...(formula === 'block' ? { display: 'block' } : {}),
  });

/** @param isSure whether what stands between marks is TeX for sure; else it has to look so. */
function splitFormulas(text: string, isSure: boolean, takesDollars: boolean): Piece[] {
  const pieces: Piece[] = [];
  /** Where each mark stands next. */
  const ends = new Map<string, number>();
  let from = 0;
  opening.lastIndex = 0;
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const [mark, environment] = match;
    const close = closeOf(mark);
    if (close === null || (mark === '$' && !takesDollars)) continue;
    if (environment !== undefined && !environments.test(environment)) continue;
    const begin = opening.lastIndex;
    let end = ends.get(close) ?? 0;
    if (end < begin) ends.set(close, (end = indexOrEnd(text, close, begin)));
    const after = end + close.length;
    const inside = end - begin > longest ? '' : text.slice(begin, end);
    if (inside.trim() === '' || (mark === '$' && !isInDollars(inside, text[after] ?? ''))) continue;
    if (!isSure && environment === undefined && !texSign.test(inside)) {
      // Nothing in it is TeX then.
      opening.lastIndex = after;
      continue;
    }
    pieces.push(
      { text: text.slice(from, match.index), formula: null },
      {
        text: environment === undefined ? inside : text.slice(match.index, after),
        formula: mark === '\\(' || mark === '$' ? 'inline' : 'block',
      },
    );
    from = opening.lastIndex = after;
  }
  pieces.push({ text: text.slice(from), formula: null });
  return pieces;
}

function closeOf(mark: string): string | null {
  if (mark === '\\(') return '\\)';
  if (mark === '\\[') return '\\]';
  if (mark.startsWith('$')) return mark;
  return mark.startsWith('\\begin') ? mark.replace('\\begin', '\\end') : null;
}

/** Dollars before numbers are prices. */
const isInDollars = (inside: string, next: string): boolean =>
  !/^\s|\s$|\\$|\n\s*\n/.test(inside) && !/\d/.test(next);

/**
 * What is named as a formula, and holds nothing but TeX: a script of the page finds it by its name. Texts about
 * mathematics are named so too, and may hold formulas by now.
 */
function replaceNamed(element: Element): void {
  if (!element.children.every((child) => isText(child))) return;
  const text = element.children.map((child) => child.data).join('');
  if (text.trim() === '' || !(texSign.test(text) || isEquation(text) || !word.test(text))) return;
  const isBlock = /(?:^|\s)display(?:\s|$)/.test(element.attribs['class'] ?? '') || element.name === 'div';
  for (const child of element.children.slice()) adapter.detachNode(child);
  adapter.appendChild(element, createFormula(text, isBlock ? 'block' : 'inline'));
}

/** Infinity where it stands no more. */
function indexOrEnd(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? Infinity : at;
}
