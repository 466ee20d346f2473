import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { defaultTreeAdapter, type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { corporaFolder } from './corpus.ts';

export interface MarkdownCase {
  id: string;
  section: string;
  html: string;
}

export function loadCases(set: string): MarkdownCase[] {
  return JSON.parse(readFileSync(join(corporaFolder, 'markdown', `${set}.json`), 'utf8')) as MarkdownCase[];
}

const sameTags: Record<string, string> = { b: 'strong', i: 'em', s: 'del', strike: 'del' };
const blocks = new Set(
  'html body p div h1 h2 h3 h4 h5 h6 ul ol li blockquote pre table thead tbody tr td th hr br dl dt dd section details summary'.split(
    ' ',
  ),
);

function decode(value: string): string {
  try {
    return decodeURI(value);
  } catch {
    return value;
  }
}

/** A tree as one text that is equal for trees that are equal but for what the corpus' README lets pass. */
function flatten(node: DefaultTreeAdapterTypes.Node, inPre: boolean, out: string[]): void {
  if (defaultTreeAdapter.isTextNode(node)) {
    out.push(inPre ? node.value : node.value.replace(/\s+/g, ' '));
    return;
  }
  if (defaultTreeAdapter.isCommentNode(node)) {
    out.push(`<!--${node.data}-->`);
    return;
  }
  const isElement = defaultTreeAdapter.isElementNode(node);
  const tag = isElement ? (sameTags[node.tagName] ?? node.tagName) : '';
  if (isElement) {
    const attributes = node.attrs
      .map(({ name, value }) => `${name}=${name === 'href' || name === 'src' ? decode(value) : value}`)
      .sort();
    out.push(`<${tag} ${attributes.join(' ')}>`);
  }
  if ('childNodes' in node) {
    for (const child of node.childNodes) flatten(child, inPre || tag === 'pre', out);
  }
  if (isElement) out.push(`</${tag}>`);
}

function normal(html: string): string {
  const out: string[] = [];
  flatten(parseFragment(html), false, out);
  const tags = [...blocks].join('|');
  let text = out.join('');
  const kept: string[] = [];
  text = text.replace(/<pre [\s\S]*?<\/pre>/g, (pre) => `${kept.push(pre) - 1}`);
  text = text
    .replace(/\s+/g, ' ')
    .replace(new RegExp(` ?(</?(?:${tags})(?: [^>]*)?>) ?`, 'g'), '$1')
    .replace(/ ?(\d+) ?/g, '$1')
    .trim();
  return text.replace(/(\d+)/g, (_, n: string) => kept[Number(n)] ?? '');
}

function render(markdown: string): string {
  return micromark(markdown, {
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
  });
}

export function isExact({ html }: MarkdownCase, markdown: string): boolean {
  return normal(html) === normal(render(markdown));
}
