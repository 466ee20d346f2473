import type { Root } from 'mdast';
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

/** HTML as markdown within a bound of tokens: what is over is cut off between two blocks. */
export default function makeMarkdown(task: MarkdownTask): MadeMarkdown {
  const root = buildMdast(parseTree(task.html), task);
  const math = hasMath(root);
  const head = writeFrontMatter(task.frontMatter);
  const write = (blocks: Root['children']): string =>
    (head + writeMarkdown({ type: 'root', children: blocks }, math)).trim().toWellFormed();
  const whole = write(root.children);
  const tokens = tokensOf(whole);
  if (task.maxTokens === null || tokens <= task.maxTokens)
    return { markdown: whole, tokens, truncated: false };
  return cut(root.children, write, task.maxTokens);
}

/** The most blocks that fit; of a first block that is too long by itself, the words that fit. */
function cut(
  blocks: Root['children'],
  write: (blocks: Root['children']) => string,
  maxTokens: number,
): MadeMarkdown {
  const definitions = blocks.filter(({ type }) => type === 'definition' || type === 'footnoteDefinition');
  const content = blocks.filter((block) => !definitions.includes(block));
  const take = (count: number): MadeMarkdown => {
    const kept = content.slice(0, count);
    const used = JSON.stringify(kept);
    const needed = definitions.filter((block) =>
      used.includes(`"identifier":${JSON.stringify('identifier' in block ? block.identifier : '')}`),
    );
    const markdown = write([...kept, ...needed]);
    return { markdown, tokens: tokensOf(markdown), truncated: true };
  };
  let [low, high] = [0, content.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (take(middle).tokens <= maxTokens) low = middle;
    else high = middle - 1;
  }
  return low > 0 ? take(low) : cutWords(write(content.slice(0, 1)), maxTokens);
}

function cutWords(text: string, maxTokens: number): MadeMarkdown {
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (tokensOf(text.slice(0, middle)) <= maxTokens) low = middle;
    else high = middle - 1;
  }
  const part = text.slice(0, low);
  const end = Math.max(part.lastIndexOf(' '), part.lastIndexOf('\n'));
  const markdown = (low < text.length && end > low / 2 ? part.slice(0, end) : part).trimEnd().toWellFormed();
  return { markdown, tokens: tokensOf(markdown), truncated: true };
}

/** A JSON string is a YAML string. */
function writeFrontMatter(fields: MarkdownTask['frontMatter']): string {
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${JSON.stringify(value)}`],
  );
  return lines.length === 0 ? '' : `---\n${lines.join('\n')}\n---\n\n`;
}
