import type { PhrasingContent, Root } from 'mdast';
import { parseTree } from '../extract/parse-tree.ts';
import { buildMdast, type BuildOptions } from './build-mdast.ts';
import { tokensOf } from '../../shared/tokens.ts';
import { hasMath } from './has-math.ts';
import { writeMarkdown } from './write-markdown.ts';

export interface MarkdownTask extends BuildOptions {
  html: string;
  /** Written first, as YAML; empty for none. */
  frontMatter: Readonly<Record<string, string | null>>;
  maxTokens: number | null;
}

export interface MadeMarkdown {
  markdown: string;
  /** In the encoding `o200k_base`. */
  tokens: number;
  truncated: boolean;
}

/** HTML as markdown. */
export function convertHtml(html: string, options: BuildOptions): string {
  const root = buildMdast(parseTree(html), options);
  return writeMarkdown(root, hasMath(root)).trim();
}

/**
 * HTML as markdown within a bound of tokens: what is over is cut off between two blocks. A front matter that alone is
 * over is left out.
 */
export default function makeMarkdown(task: MarkdownTask): MadeMarkdown {
  const root = buildMdast(parseTree(task.html), task);
  const math = hasMath(root);
  const write = (blocks: Root['children']): string => writeMarkdown({ type: 'root', children: blocks }, math);
  const head = writeFrontMatter(task.frontMatter);
  const whole = made(head + write(root.children), false);
  const { maxTokens } = task;
  if (maxTokens === null || whole.tokens <= maxTokens) return whole;
  return cut(root.children, write, maxTokens, tokensOf(head) <= maxTokens ? head : '');
}

function made(text: string, truncated: boolean): MadeMarkdown {
  const markdown = text.trim().toWellFormed();
  return { markdown, tokens: tokensOf(markdown), truncated };
}

type Block = Root['children'][number];

/** What a block refers to by name. */
function referencesOf(block: Block): Set<string> {
  const found = new Set<string>();
  const stack: (Block | PhrasingContent)[] = [block];
  while (stack.length > 0) {
    const node = stack.pop() as Block;
    if ('identifier' in node && node !== block) found.add(node.identifier);
    if ('children' in node) stack.push(...node.children);
  }
  return found;
}

/** The most blocks that fit; of a first block that is too long by itself, the words that fit. */
function cut(
  blocks: readonly Block[],
  write: (blocks: Root['children']) => string,
  maxTokens: number,
  head: string,
): MadeMarkdown {
  const isDefinition = ({ type }: Block): boolean => type === 'definition' || type === 'footnoteDefinition';
  const definitions = blocks.filter(isDefinition);
  const content = blocks.filter((block) => !isDefinition(block));
  const references = new Map(blocks.map((block) => [block, referencesOf(block)]));
  const take = (count: number): MadeMarkdown => {
    const kept = content.slice(0, count);
    const used = new Set(kept.flatMap((block) => [...(references.get(block) ?? [])]));
    const needed = definitions.filter((block) => 'identifier' in block && used.has(block.identifier));
    return made(head + write([...kept, ...needed]), true);
  };
  let [low, high] = [0, content.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (take(middle).tokens <= maxTokens) low = middle;
    else high = middle - 1;
  }
  return low > 0 ? take(low) : cutWords(write(content.slice(0, 1)), maxTokens, head);
}

function cutWords(text: string, maxTokens: number, head: string): MadeMarkdown {
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (tokensOf(head + text.slice(0, middle)) <= maxTokens) low = middle;
    else high = middle - 1;
  }
  const part = text.slice(0, low);
  const end = Math.max(part.lastIndexOf(' '), part.lastIndexOf('\n'));
  return made(head + (low < text.length && end > low / 2 ? part.slice(0, end) : part), true);
}

/** A JSON string is a YAML string. */
function writeFrontMatter(fields: MarkdownTask['frontMatter']): string {
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${JSON.stringify(value)}`],
  );
  return lines.length === 0 ? '' : `---\n${lines.join('\n')}\n---\n\n`;
}
