import type { Root } from 'mdast';
import { parseTree } from '../extract/parse-tree.ts';
import { buildMdast, type BuildOptions } from './build-mdast.ts';
import { tokensOf } from '../../shared/tokens.ts';
import { cutMarkdown } from './cut-markdown.ts';
import { hasMath } from './has-math.ts';
import { tagMarks } from './tag-marks.ts';
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
  return writeMarkdown(tagMarks(root), hasMath(root)).trim();
}

/**
 * HTML as markdown within a bound of tokens: what is over is cut off between two blocks, items or rows. A front matter
 * that alone is over is left out.
 */
export default function makeMarkdown(task: MarkdownTask): MadeMarkdown {
  const root = buildMdast(parseTree(task.html), task);
  const math = hasMath(root);
  const { maxTokens } = task;
  const front = writeFrontMatter(task.frontMatter);
  const textOf = (part: Root): string => writeMarkdown(tagMarks(part), math);
  const whole = made(front + textOf(root), false);
  if (maxTokens === null || whole.tokens <= maxTokens) return whole;
  const head = tokensOf(front) <= maxTokens ? front : '';
  const write = (part: Root): MadeMarkdown => made(head + textOf(part), true);
  return write(cutMarkdown(root, maxTokens, (part) => write(part).tokens <= maxTokens));
}

function made(text: string, truncated: boolean): MadeMarkdown {
  const markdown = text.trim().toWellFormed();
  return { markdown, tokens: tokensOf(markdown), truncated };
}

/** A JSON string is a YAML string. */
function writeFrontMatter(fields: MarkdownTask['frontMatter']): string {
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${JSON.stringify(value)}`],
  );
  return lines.length === 0 ? '' : `---\n${lines.join('\n')}\n---\n\n`;
}
