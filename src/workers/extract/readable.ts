import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import type { Block } from './blocks.ts';
import { leanMarkup } from './lean-markup.ts';

/** Readability's own running time grows steeply past this; the model does without its opinion then. */
const mostCharacters = 3_000_000;
/** It asks each element for its whole text again and again, which passes all that stands in it: seconds for so many nodes. */
const mostPassed = 600_000;
const shingleSize = 4;
/** Scripts without spaces: Thai, Lao, Burmese, Khmer, Japanese and Chinese. */
const dense = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u9fff\uf900-\ufaff]/g;
/** As long as in others, each letter a word: Readability counts letters and commas, and leaves no space between elements. */
const spreadOut = (text: string): string => text.replace(dense, '$&_ ').replace(/[、，]/g, ', ');
const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

interface TreeNode {
  firstChild?: TreeNode | null;
  nextSibling?: TreeNode | null;
  parentNode?: TreeNode | null;
}

/** Whether few nodes are passed when each element is asked for its text: a node is, by all that it stands in. */
function isCheap(root: TreeNode | null): boolean {
  let [passed, depth] = [0, 0];
  let node: TreeNode | null = root;
  while (node !== null && passed <= mostPassed) {
    passed += depth;
    if (node.firstChild) {
      node = node.firstChild;
      depth++;
      continue;
    }
    while (node !== null && node !== root && !node.nextSibling) {
      node = node.parentNode ?? null;
      depth--;
    }
    node = node === root ? null : (node?.nextSibling ?? null);
  }
  return passed <= mostPassed;
}

const frame = /<\/?(?:html|head|body)(?:\s[^<>]*)?>/gi;

/** With the tags that HTML lets authors leave out, and that linkedom does not put in as browsers do. */
function inFrame(html: string): string {
  if (/<html[\s>]/i.test(html) && /<body[\s>]/i.test(html)) return html;
  return `<html><head></head><body>${html.replace(frame, '')}</body></html>`;
}

/** The text that Readability takes for the article; null where it finds none or cannot cope. */
function readableText(html: string): string | null {
  try {
    const { document } = parseHTML(inFrame(leanMarkup(html)));
    // Of the document, the first child may be a type, which linkedom has no sibling for.
    if (!isCheap(document.documentElement as TreeNode | null)) return null;
    return (
      new Readability(document as never, { charThreshold: 200, nbTopCandidates: 5 }).parse()?.textContent ??
      null
    );
  } catch {
    // It is recursive: deep nesting overflows its stack.
    return null;
  }
}

/** How much of each block Readability takes for the article, 0 to 1; -1 where it has no opinion. */
export function readableShares(html: string, blocks: readonly Block[], depth: number): Float32Array {
  const shares = new Float32Array(blocks.length).fill(-1);
  if (depth > 1_000 || html.length > mostCharacters) return shares;
  const spread = html.search(dense) < 0 ? html : spreadOut(html);
  const isSpread = spread !== html && spread.length <= mostCharacters;
  const text = readableText(isSpread ? spread : html);
  if (text === null) return shares;
  const all = words(text);
  const shingles = new Set<string>();
  for (let size = 1; size <= shingleSize; size++) {
    for (let i = 0; i + size <= all.length; i++) shingles.add(all.slice(i, i + size).join(' '));
  }
  for (const [i, block] of blocks.entries()) {
    const own = words(isSpread ? spreadOut(block.text) : block.text);
    if (own.length === 0) continue;
    const size = Math.min(shingleSize, own.length);
    let hits = 0;
    for (let k = 0; k + size <= own.length; k++) if (shingles.has(own.slice(k, k + size).join(' '))) hits++;
    shares[i] = hits / (own.length - size + 1);
  }
  return shares;
}
