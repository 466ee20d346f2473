import type { Nodes, Root } from 'mdast';

/** Whether a formula stands in it. */
export function hasMath(root: Root): boolean {
  const open: Nodes[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.type === 'inlineMath' || node.type === 'math') return true;
    if ('children' in node) for (const child of node.children) open.push(child);
  }
  return false;
}
