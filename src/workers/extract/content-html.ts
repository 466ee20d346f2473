import { type AnyNode, type Element, isTag, isText } from 'domhandler';
import { alignOf } from './cell-align.ts';
import type { Block } from './blocks.ts';
import { languageOf } from './code-language.ts';
import { codeText } from './code-text.ts';
import { blockTags } from './element-kinds.ts';
import { isFormula, mathText } from './formulas.ts';
import { walk } from './walk.ts';
import { imageUrl, isFallback, isTrackingPixel, resolveLink, sizeIn } from './addresses.ts';

const structureTags = new Set(
  'ul ol li dl dt dd table thead tbody tfoot tr td th caption colgroup col blockquote figure figcaption details summary'.split(
    ' ',
  ),
);
const lineTags = new Set('p h1 h2 h3 h4 h5 h6'.split(' '));
/** A line that stands in one of these needs no paragraph around it. */
const lineHolders = new Set('li dt dd td th caption figcaption summary'.split(' '));
const inlineTags = new Set(
  'a abbr b bdi bdo cite code del dfn em i ins kbd mark q rp rt ruby s samp small strike strong sub sup tt u var'.split(
    ' ',
  ),
);
const keptAttributes: Readonly<Record<string, readonly string[]>> = {
  a: ['title'],
  td: ['colspan', 'rowspan'],
  th: ['colspan', 'rowspan'],
  ol: ['start', 'reversed', 'type'],
  li: ['value'],
  abbr: ['title'],
  details: ['open'],
};
const sharedAttributes = ['dir', 'lang'];
/** Footnotes are told by the ids that their references lead to. */
export const noteId =
  /^(?:user-content-)?(?:fn|footnote|note|cite_note|endnote|easy-footnote-bottom)(?:[-_:.]|\d)[\w.:-]*$/i;
/** The roles of a note and of a reference to it. */
export const noteRoles = new Set(['doc-endnote', 'doc-noteref']);
const mostRaised = 5_000;
/** Each line is written with all that it stands in. */
const deepestInline = 16;

export const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
export const escapeValue = (text: string): string => escapeText(text).replaceAll('"', '&quot;');

const isDisplayed = ({ attribs }: Element): boolean =>
  attribs['display'] === 'block' || /mode\s*=\s*display/i.test(attribs['type'] ?? '');

/** A cell that holds the place of its column, and nothing else. */
export const isEmptyCell = ({ name, children }: Element): boolean =>
  (name === 'td' || name === 'th') &&
  children.every((child) =>
    isText(child)
      ? child.data.trim() === ''
      : isTag(child) && child.name === 'p' && child.children.length === 0,
  );

/** Writes HTML of the kept blocks only: structure and empty cells kept, scripts, styles and names gone, addresses absolute. */
export function writeContent(root: AnyNode, kept: readonly Block[], base: string): string {
  const blockOf = new Map<AnyNode, Block>();
  const needed = new Set<AnyNode>();
  for (const block of kept) {
    for (const node of block.nodes) {
      blockOf.set(node, block);
      for (let up: AnyNode | null = node; up !== null && !needed.has(up); up = up.parent) needed.add(up);
    }
  }
  const out: string[] = [];
  const inline: Element[] = [];
  let line: { block: Block; wrapper: string | null } | null = null;
  /** What raised links lead to: items among it are notes. */
  const raised = new Set<string>();
  /** A rule stands between what was written and what comes next. */
  let isRuled = false;

  const openTag = (element: Element): string => {
    const { name: tag, attribs } = element;
    let text = `<${tag}`;
    if (tag === 'a') {
      const href = resolveLink(attribs['href'], base);
      if (href !== null) text += ` href="${escapeValue(href)}"`;
      const isRaised = attribs['href']?.startsWith('#') === true && inline.some(({ name }) => name === 'sup');
      if (isRaised && raised.size < mostRaised) raised.add(attribs['href']?.slice(1) ?? '');
    }
    const align = tag === 'td' || tag === 'th' ? alignOf(element) : null;
    if (align !== null) text += ` align="${align}"`;
    for (const name of [...(keptAttributes[tag] ?? []), ...sharedAttributes]) {
      const value = attribs[name];
      if (value !== undefined && value.length <= 1_000) text += ` ${name}="${escapeValue(value)}"`;
    }
    const role = noteRoles.has(attribs['role'] ?? '') ? ` role="${attribs['role']}"` : '';
    const id = tag === 'li' ? (attribs['id'] ?? '') : '';
    if (noteId.test(id) || (id !== '' && (role !== '' || raised.has(id))))
      text += ` id="${escapeValue(id.slice(0, 200))}"`;
    text += role;
    return `${text}>`;
  };
  const closeLine = (): void => {
    if (line === null) return;
    for (let i = inline.length - 1; i >= 0; i--) out.push(`</${inline[i]?.name}>`);
    if (line.wrapper !== null) out.push(`</${line.wrapper}>`);
    out.push('\n');
    line = null;
  };
  const writeRule = (): void => {
    if (isRuled) out.push('<hr>\n');
    isRuled = false;
  };
  const openLine = (block: Block): void => {
    if (line?.block === block) return;
    closeLine();
    writeRule();
    const { tag } = block.scope;
    const wrapper = lineTags.has(tag) ? tag : lineHolders.has(tag) ? null : 'p';
    if (wrapper !== null) out.push(`<${wrapper}>`);
    for (const element of inline) out.push(openTag(element));
    line = { block, wrapper };
  };
  const writeImage = (element: Element, block: Block): void => {
    const src = isTrackingPixel(element) ? null : imageUrl(element, base);
    if (src === null || isFallback(element, base)) return;
    openLine(block);
    const { attribs } = element;
    const sizes = (['width', 'height'] as const).map((name) => {
      const value = sizeIn(element, name);
      return value === null ? '' : ` ${name}="${value}"`;
    });
    const title = attribs['title'] ? ` title="${escapeValue(attribs['title'].slice(0, 1_000))}"` : '';
    out.push(
      `<img src="${escapeValue(src)}" alt="${escapeValue((attribs['alt'] ?? '').slice(0, 2_000))}"${title}${sizes.join('')}>`,
    );
  };
  const writeTaskBox = ({ attribs }: Element, block: Block): void => {
    openLine(block);
    out.push(`<input type="checkbox" disabled${attribs['checked'] === undefined ? '' : ' checked'}>`);
  };
  const writeCode = (pre: Element): void => {
    closeLine();
    writeRule();
    const language = languageOf(pre);
    const name = language === null ? '' : ` class="language-${escapeValue(language)}"`;
    out.push(
      `<pre><code${name}>${escapeText(
        codeText(pre)
          .replace(/^\s*\n/, '')
          .trimEnd(),
      )}\n</code></pre>\n`,
    );
  };

  walk(
    root,
    (element) => {
      if (element !== root && !needed.has(element)) {
        if (element.name === 'hr') {
          closeLine();
          isRuled = out.length > 0;
        }
        if (isEmptyCell(element) && element.parent !== null && needed.has(element.parent)) {
          closeLine();
          out.push(`${openTag(element)}</${element.name}>\n`);
        }
        return false;
      }
      const { name: tag } = element;
      if (blockTags.has(tag)) closeLine();
      const block = blockOf.get(element);
      if (block !== undefined) {
        if (tag === 'img') writeImage(element, block);
        else if (tag === 'input') writeTaskBox(element, block);
        else if (tag === 'br') {
          if (line?.block === block) out.push('<br>');
        } else if (tag === 'pre') writeCode(element);
        else if (isFormula(element)) {
          openLine(block);
          const display = isDisplayed(element) ? 'display' : 'inline';
          out.push(`<code class="math math-${display}">${escapeText(mathText(element))}</code>`);
        }
        return false;
      }
      if (structureTags.has(tag)) {
        closeLine();
        writeRule();
        out.push(openTag(element));
        if (!lineHolders.has(tag)) out.push('\n');
      } else if (inlineTags.has(tag) && inline.length < deepestInline) {
        inline.push(element);
        if (line !== null) out.push(openTag(element));
      }
      return true;
    },
    (element) => {
      const { name: tag } = element;
      if (blockTags.has(tag)) closeLine();
      if (structureTags.has(tag)) {
        closeLine();
        isRuled = false;
        out.push(`</${tag}>\n`);
      } else if (inline.at(-1) === element) {
        inline.pop();
        if (line !== null) out.push(`</${tag}>`);
      }
    },
    (node) => {
      const block = blockOf.get(node);
      if (block === undefined || !isText(node)) return;
      if (line === null && node.data.trim() === '') return;
      openLine(block);
      out.push(escapeText(node.data.replace(/\s+/g, ' ')));
    },
  );
  closeLine();
  return out.join('').trim();
}
