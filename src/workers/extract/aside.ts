import { type AnyNode, isTag } from 'domhandler';
import type { Block } from './blocks.ts';
import { createNameReader, groupIndex } from './class-words.ts';

export type PlaceCheck = (node: AnyNode) => boolean;

/** Where nodes stand, as seen from the title of their page. */
export interface Places {
  /** In what may be beside the page's own matter: comments, other pages, menus, side bars. */
  isAside: PlaceCheck;
  /** In what is surely of others: comments, lists of other pages, `nav`, quotes and captions. */
  isOfOthers: PlaceCheck;
  /** In the `article` or `main` of the title or, where it has none, close behind it. */
  isWithTitle: PlaceCheck;
}

const asideGroups = (1 << groupIndex.related) | (1 << groupIndex.nav) | (1 << groupIndex.comment);
/** `sidebar-layout` and `with-sidebar` are what stands beside one. */
const sidebar = /(?:^|\s)(?:widget|(?:(?!(?:with|has|no|without)[_-])[\w-]*[_-])?sidebar)(?:\s|$)/i;
/** `has-comments` is what stands above them. */
const comments =
  /(?:^|\s)(?:comments?|commentlist|respond|replies|disqus_thread|\w*comments?[_-]+(?:area|author|body|container|content|date|latest|list|meta|section|thread|time|wrap|wrapper|\d+)|(?!(?:has|no|with|without)[_-])[\w-]+[_-]comments?)(?:\s|$)/i;
const otherPages =
  /(?:^|[\s_-])(?:related|recommended|(?:related|recent|recommended|popular|similar|trending)[_-]+(?:articles?|content|entries|news|pages|posts?|reading|stories))(?:\s|$)/i;
/** Unless it holds most of the page. */
const quoted = new Set(['blockquote', 'figcaption']);
/** Blocks behind a title. */
const after = 25;

/**
 * @param picked the blocks of the page's content, by 1.
 * @param title by its block, -1 where there is none: then nothing stands apart from it.
 */
export function findPlaces(
  blocks: readonly Block[],
  picked: Uint8Array,
  { titleAt, isThread }: { titleAt: number; isThread: boolean },
): Places {
  const aroundTitle = new Set<AnyNode>();
  for (let up: AnyNode | null = blocks[titleAt]?.nodes[0] ?? null; up !== null; up = up.parent)
    aroundTitle.add(up);
  if (aroundTitle.size === 0)
    return { isAside: () => false, isOfOthers: () => false, isWithTitle: () => true };
  const readNames = createNameReader(['class', 'id']);
  const own = holdersOfMost(blocks, picked);
  // The posts of a thread are called comments too.
  const groups = isThread ? asideGroups & ~(1 << groupIndex.comment) : asideGroups;
  const isOfOthers = within(aroundTitle, (one) => {
    if (!isTag(one)) return false;
    const names = `${one.attribs['class'] ?? ''} ${one.attribs['id'] ?? ''}`.slice(0, 500);
    return (
      one.name === 'nav' ||
      (quoted.has(one.name) && !own.has(one)) ||
      one.attribs['role'] === 'navigation' ||
      otherPages.test(names) ||
      (!isThread && comments.test(names))
    );
  });
  const isNamedAside = within(aroundTitle, (one) => {
    // A link or a time is called after what it leads to or tells.
    if (!isTag(one) || one.name === 'a' || one.name === 'time' || own.has(one)) return false;
    const names = `${one.attribs['class'] ?? ''} ${one.attribs['id'] ?? ''}`.slice(0, 500);
    return (readNames(one) & groups) !== 0 || sidebar.test(names);
  });
  return {
    isAside: (node) => isOfOthers(node) || isNamedAside(node),
    isOfOthers,
    isWithTitle: nearTitle(blocks, titleAt, aroundTitle),
  };
}

/** Whether a node stands in such an element, or is one; those around the title do not count. */
function within(aroundTitle: ReadonlySet<AnyNode>, isOne: PlaceCheck): PlaceCheck {
  const known = new Map<AnyNode, boolean>();
  return (node) => {
    const path: AnyNode[] = [];
    let up: AnyNode | null = node;
    for (; up !== null && !aroundTitle.has(up) && !known.has(up); up = up.parent) path.push(up);
    let isIn = up !== null && known.get(up) === true;
    for (const one of path.toReversed()) {
      isIn ||= isOne(one);
      known.set(one, isIn);
    }
    return isIn;
  };
}

/** The elements that hold more than half of the content's text: whatever they are called, they are not beside it. */
function holdersOfMost(blocks: readonly Block[], picked: Uint8Array): Set<AnyNode> {
  const before = [0];
  for (const [i, { text }] of blocks.entries())
    before.push((before[i] as number) + (picked[i] === 1 ? text.length : 0));
  const half = (before.at(-1) as number) / 2;
  const middle = before.findIndex((length) => length > half) - 1;
  const found = new Set<AnyNode>();
  for (let up: Block['scope'] | null = blocks[middle]?.scope ?? null; up !== null; up = up.parent) {
    if ((before[up.end] ?? 0) - (before[up.first] ?? 0) > half) found.add(up.element);
  }
  return found;
}

function nearTitle(blocks: readonly Block[], titleAt: number, aroundTitle: ReadonlySet<AnyNode>): PlaceCheck {
  const article = [...aroundTitle].find(
    (one) => isTag(one) && (/^(?:article|main)$/.test(one.name) || one.attribs['role'] === 'main'),
  );
  if (article !== undefined) return within(new Set(), (one) => one === article);
  const near = new Set<AnyNode>();
  for (const { nodes } of blocks.slice(titleAt, titleAt + after)) {
    for (const node of nodes)
      for (let up: AnyNode | null = node, n = 0; up !== null && n < 4; up = up.parent, n++) near.add(up);
  }
  return (node) => near.has(node);
}
