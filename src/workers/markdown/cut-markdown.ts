import type { Nodes, Root, RootContent } from 'mdast';

/** What is cut between the blocks, items and rows in it. */
const holders = new Set(['root', 'list', 'listItem', 'blockquote', 'table']);

/** Of its text, no token is as long. */
const charactersOfToken = 128;
/** Blocks at the beginning of a page, of each of which nothing fits. */
const mostLeftOut = 5;

/**
 * The longest beginning of a page that fits: cut between blocks, items or rows, and where not one of these fits, within
 * the first.
 */
export function cutMarkdown(root: Root, maxTokens: number, fits: (beginning: Root) => boolean): Root {
  const definitions = root.children.filter(isDefinition);
  const content: Root = { type: 'root', children: root.children.filter((block) => !isDefinition(block)) };
  /** With the definitions that it refers to. */
  const complete = ({ children }: Root): Root => {
    const used = referencesOf(children);
    const needed = definitions.filter((one) => 'identifier' in one && used.has(one.identifier));
    return { type: 'root', children: [...children, ...needed] };
  };
  const mostCharacters = charactersOfToken * maxTokens;
  const lengthOf = createMeasure();
  const isShort = (beginning: Nodes): boolean =>
    lengthOf(beginning) <= mostCharacters && fits(complete(beginning as Root));
  for (let left = 0; left <= mostLeftOut; left++) {
    const count = longest(countUnits(content), (size) => isShort(takeUnits(content, size)));
    const cut =
      count > 0 ? endInText(takeUnits(content, count)) : beginningOf(takeUnits(content, 1), isShort);
    if (cut !== null) return complete(cut as Root);
    // An image or a formula is never cut: what follows it may fit.
    content.children.shift();
  }
  return { type: 'root', children: [] };
}

/**
 * Measures what a part is at least written with, in characters: what is longer need not be written to know that it does
 * not fit. Each item and each cell has a mark of its own, which is a token.
 */
function createMeasure(): (part: Nodes) => number {
  const known = new WeakMap<Nodes, number>();
  return function lengthOf(part: Nodes): number {
    let length = known.get(part);
    if (length !== undefined) return length;
    length = part.type === 'listItem' || part.type === 'tableCell' ? charactersOfToken : 0;
    if ('value' in part) length += part.value.length;
    if ('children' in part) for (const child of part.children) length += lengthOf(child);
    known.set(part, length);
    return length;
  };
}

const isDefinition = ({ type }: RootContent): boolean =>
  type === 'definition' || type === 'footnoteDefinition';

function referencesOf(blocks: readonly Nodes[]): Set<string> {
  const found = new Set<string>();
  const open = blocks.slice();
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if ('identifier' in node) found.add(node.identifier);
    if ('children' in node) for (const child of node.children) open.push(child);
  }
  return found;
}

const unitCounts = new WeakMap<Nodes, number>();

/** How many parts it falls into that are not cut; the head of a table says nothing without a row. */
function countUnits(node: Nodes): number {
  if (!('children' in node) || !holders.has(node.type)) return 1;
  if (node.type === 'table') return Math.max(1, node.children.length - 1);
  const known = unitCounts.get(node);
  if (known !== undefined) return known;
  let count = 0;
  for (const child of node.children) count += countUnits(child);
  // Blocks of the root may be left out.
  if (node.type === 'root') return count;
  unitCounts.set(node, Math.max(1, count));
  return Math.max(1, count);
}

/** Without the headings at its end, which head what is cut off; one of headings alone stays. */
function endInText(cut: Nodes): Nodes {
  if (!('children' in cut)) return cut;
  const children: readonly Nodes[] = cut.children;
  const end = children.findLastIndex(({ type }) => type !== 'heading') + 1;
  return end === 0 || end === children.length ? cut : ({ ...cut, children: children.slice(0, end) } as Nodes);
}

/** A part up to one of its units. */
function takeUnits(node: Nodes, count: number): Nodes {
  if (!('children' in node) || !holders.has(node.type)) return node;
  if (node.type === 'table') return { ...node, children: node.children.slice(0, count + 1) };
  const taken: Nodes[] = [];
  let left = count;
  for (const child of node.children) {
    if (left <= 0) break;
    const units = countUnits(child);
    taken.push(units <= left ? child : takeUnits(child, left));
    left -= units;
  }
  return { ...node, children: closeDetails(taken) } as Nodes;
}

/** The longest beginning of a part that does not fit as a whole, cut within its lines; null where nothing of it fits. */
function beginningOf(node: Nodes, fits: (part: Nodes) => boolean): Nodes | null {
  if (!('children' in node)) return 'value' in node ? textOf(node, fits) : null;
  const children: readonly Nodes[] = node.children;
  const take = (count: number, last: readonly Nodes[] = []): Nodes =>
    ({ ...node, children: closeDetails([...children.slice(0, count), ...last]) }) as Nodes;
  const count = longest(children.length - 1, (size) => fits(take(size)));
  const next = children[count];
  const last = next === undefined ? null : beginningOf(next, (part) => fits(take(count, [part])));
  if (last !== null) return take(count, [last]);
  return count < 1 ? null : take(count);
}

/** The words or lines that fit; of a single one, its characters. */
function textOf(node: Nodes & { value: string }, fits: (part: Nodes) => boolean): Nodes | null {
  if (node.type !== 'text' && node.type !== 'code' && node.type !== 'inlineCode') return null;
  const pattern = node.type === 'code' ? /[^\n]*\n|[^\n]+/g : /\s*\S{1,40}|\s+/gu;
  for (const split of [() => node.value.match(pattern) ?? [], () => [...node.value]]) {
    const pieces = split();
    const take = (count: number): Nodes => ({ ...node, value: pieces.slice(0, count).join('').trimEnd() });
    const count = longest(pieces.length, (size) => fits(take(size)));
    if (count > 0) return take(count);
  }
  return null;
}

/** The greatest number up to `most` of which a growing cost still fits, at a cost in proportion to what fits. */
function longest(most: number, fits: (count: number) => boolean): number {
  let low = 0;
  let step = 1;
  while (low + step <= most && fits(low + step)) {
    low += step;
    step *= 2;
  }
  let high = Math.min(most, low + step - 1);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** What folds away what follows ends where the page is cut. */
function closeDetails(children: readonly Nodes[]): Nodes[] {
  let open = 0;
  for (const child of children) {
    if (child.type !== 'html') continue;
    if (child.value === '<details>') open++;
    else if (child.value === '</details>') open--;
  }
  return [
    ...children,
    ...Array.from({ length: Math.max(0, open) }, () => ({ type: 'html', value: '</details>' }) as const),
  ];
}
