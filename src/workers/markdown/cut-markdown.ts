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
  const isShort = (beginning: Nodes): boolean =>
    !isLonger(beginning, mostCharacters) && fits(complete(beginning as Root));
  for (let left = 0; left <= mostLeftOut; left++) {
    const cut = beginningOf(content, isShort, false) ?? beginningOf(content, isShort, true);
    if (cut !== null) return complete(cut as Root);
    // An image or a formula is never cut: what follows it may fit.
    content.children.shift();
  }
  return { type: 'root', children: [] };
}

/** Whether its text alone is longer: that need not be written to know that it does not fit. */
function isLonger(part: Nodes, most: number): boolean {
  let left = most;
  const open: Nodes[] = [part];
  for (let node = open.pop(); node !== undefined && left >= 0; node = open.pop()) {
    left -= 'value' in node ? node.value.length : 1;
    if ('children' in node) for (const child of node.children) open.push(child);
  }
  return left < 0;
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

/** @param withinLines whether lines of code and text may be cut. Null where nothing of it fits. */
function beginningOf(node: Nodes, fits: (part: Nodes) => boolean, withinLines: boolean): Nodes | null {
  if (!('children' in node)) return withinLines && 'value' in node ? textOf(node, fits) : null;
  if (!withinLines && !holders.has(node.type)) return null;
  const children: readonly Nodes[] = node.children;
  const take = (count: number, last: readonly Nodes[] = []): Nodes =>
    ({ ...node, children: closeDetails([...children.slice(0, count), ...last]) }) as Nodes;
  // The head of a table says nothing without a row.
  const least = !withinLines && node.type === 'table' ? 2 : 1;
  const count = longest(children.length, (size) => fits(take(Math.max(size, least))));
  const next = children[count];
  const last =
    next === undefined ? null : beginningOf(next, (part) => fits(take(count, [part])), withinLines);
  if (last !== null) return take(count, [last]);
  return count < least ? null : take(count);
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
