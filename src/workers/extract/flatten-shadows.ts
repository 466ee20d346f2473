import { type ChildNode, type Document, type Element, isTag, type ParentNode } from 'domhandler';
import { walk } from './walk.ts';

/**
 * Puts the content of declared shadow trees (`template[shadowrootmode]`) where browsers show it: in its host, with the
 * host's own children at their slots; what has no slot stands behind it.
 */
export function flattenShadows(tree: Document): void {
  const templates: Element[] = [];
  walk(
    tree,
    (element) => {
      if (isShadow(element)) templates.push(element);
      return true;
    },
    () => undefined,
    () => undefined,
  );
  // A tree stands before those within it, so that each slot is filled from its own host.
  const hosts = new Set<ParentNode>();
  for (const template of templates) {
    const { parent: host } = template;
    // The second template of a host is none of its shadow.
    if (host === null || !isTag(host) || !isHost(host) || hosts.has(host)) continue;
    hosts.add(host);
    flatten(template, host);
  }
}

const hostTags = new Set(
  'article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span'.split(' '),
);

/** Whether browsers give it a shadow. */
const isHost = ({ name }: Element): boolean => name.includes('-') || hostTags.has(name);

const isShadow = ({ name, attribs }: Element): boolean =>
  name === 'template' && /^(?:open|closed)$/i.test(attribs['shadowrootmode'] ?? '');

function flatten(template: Element, host: Element): void {
  const content = template.children[0] as ParentNode | undefined;
  if (content === undefined) return;
  const shadow = [...content.children];
  const bySlot = new Map<string, ChildNode[]>();
  for (const child of host.children) {
    if (child === template) continue;
    const name = isTag(child) ? (child.attribs['slot'] ?? '') : '';
    const known = bySlot.get(name);
    if (known === undefined) bySlot.set(name, [child]);
    else known.push(child);
  }
  for (const slot of slotsOf(content)) {
    const name = slot.attribs['name'] ?? '';
    const own = bySlot.get(name);
    if (own === undefined) continue;
    setChildren(slot, own);
    bySlot.delete(name);
  }
  setChildren(host, [...shadow, ...[...bySlot.values()].flat()]);
}

function slotsOf(content: ParentNode): Element[] {
  const slots: Element[] = [];
  walk(
    content as Document,
    (element) => {
      if (element.name === 'slot') slots.push(element);
      return element.name !== 'template' && element.name !== 'slot';
    },
    () => undefined,
    () => undefined,
  );
  return slots;
}

function setChildren(parent: ParentNode, children: ChildNode[]): void {
  for (const [i, child] of children.entries()) {
    child.parent = parent;
    child.prev = children[i - 1] ?? null;
    child.next = children[i + 1] ?? null;
  }
  parent.children = children;
}
