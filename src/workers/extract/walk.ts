import { type AnyNode, type Element, hasChildren, isComment, isTag, isText } from 'domhandler';

/** Depth first, without recursion; `enter` says whether to go inside. */
export function walk(
  root: AnyNode,
  enter: (element: Element) => boolean,
  leave: (element: Element) => void,
  onText: (node: AnyNode & { data: string }) => void,
  onComment?: (node: AnyNode & { data: string }) => void,
): void {
  let node: AnyNode | null = root;
  while (node !== null) {
    let inside = true;
    if (isText(node)) onText(node);
    else if (isTag(node)) inside = enter(node);
    else if (isComment(node)) onComment?.(node);
    const child: AnyNode | null = inside && hasChildren(node) ? (node.children[0] ?? null) : null;
    if (child !== null) {
      node = child;
      continue;
    }
    if (inside && isTag(node)) leave(node);
    while (node !== null && node !== root && node.next === null) {
      node = node.parent;
      if (node !== null && isTag(node)) leave(node);
    }
    if (node === null || node === root) return;
    node = node.next;
  }
}
