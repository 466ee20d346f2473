import type { AnyNode, Document, Element } from 'domhandler';
import type { Nodes, Root } from 'mdast';
import type { InlineMath, Math as MathNode } from 'mdast-util-math';
import { codeText } from '../extract/code-text.ts';
import { blockTags, isHidden, isSilent, isSourceLine } from '../extract/element-kinds.ts';
import { mathText } from '../extract/formulas.ts';
import { isHeadingLink } from '../extract/heading-marks.ts';
import { walk } from '../extract/walk.ts';
import { imageUrl, isTrackingPixel, resolveLink } from '../extract/addresses.ts';
import { languageOf } from '../extract/code-language.ts';
import { escapeText } from '../extract/content-html.ts';
import { type Footnotes, findFootnotes } from './footnotes.ts';
import { enterDefinition, enterItem, enterList } from './lists.ts';
import { type Holder, MdastWriter } from './mdast-writer.ts';
import { commentOf, isRaw, startTagOf } from './raw-html.ts';
import { TableWriter } from './table-writer.ts';
import { withoutTracking } from './tracking.ts';

export interface BuildOptions {
  /** Addresses are resolved against it; null leaves them as they are. */
  base: string | null;
  links: 'inline' | 'referenced' | 'none';
  images: boolean;
}

const emphasisTags = new Set(['em', 'i', 'cite', 'dfn', 'var']);
const strongTags = new Set(['strong', 'b']);
/** Written as strong text: what is strong in them is no more. */
const termTags = new Set(['dt']);
const deleteTags = new Set(['del', 's', 'strike']);
const codeTags = new Set(['code', 'kbd', 'samp', 'tt']);
/** Bars of formulas as they are written in cells. */
const barsInCells: Readonly<Record<string, string>> = { '|': '\\|', '\\|': '\\Vert ' };
const listTags = new Set(['ul', 'ol', 'menu', 'dir']);

/** Turns a page's tree into markdown's, without recursion. */
export function buildMdast(root: Document | Element, options: BuildOptions): Root {
  return new Builder(root, options).build();
}

class Builder {
  readonly #root: Document | Element;
  readonly #options: BuildOptions;
  readonly #notes: Footnotes;
  readonly #references = new Map<string, number>();
  readonly #writer = new MdastWriter();
  readonly #tables = new TableWriter(this.#writer);

  constructor(root: Document | Element, options: BuildOptions) {
    this.#root = root;
    this.#options = options;
    this.#notes = findFootnotes(root, options.base);
  }

  build(): Root {
    const writer = this.#writer;
    walk(
      this.#root,
      (element) => this.#enter(element),
      (element) => this.#leave(element),
      ({ data }) => {
        if (!this.#isSignBack(data)) writer.write(data);
      },
      (comment) => this.#comment(comment),
    );
    writer.closeLine();
    dropRuleOfNotes(writer.tree.children);
    for (const [url, number] of this.#references) {
      const label = String(number);
      writer.tree.children.push({ type: 'definition', identifier: label, label, url });
    }
    return writer.tree;
  }

  /** Before the links back of a note, which are left out. */
  #isSignBack(text: string): boolean {
    const { flow } = this.#writer;
    return flow.type === 'footnoteDefinition' && flow.children.length === 0 && /^\s*[\^↑]\s*$/.test(text);
  }

  #enter(element: Element): boolean {
    const { name: tag, attribs } = element;
    if (tag === 'input') {
      this.#checkbox(element);
      return false;
    }
    if (isSilent(tag) || isHidden(element) || tag === 'rt' || tag === 'rp') return false;
    if (this.#notes.isBackLink(element)) return false;
    switch (tag) {
      case 'br':
        this.#writer.lineBreak();
        return false;
      case 'hr':
        this.#writer.break();
        if (!this.#writer.isOneLine) this.#writer.append(ruleOf(element));
        return false;
      case 'img':
        this.#image(element);
        return false;
      case 'pre':
        this.#code(element);
        return false;
      case 'math':
        this.#math(mathText(element), attribs['display'] === 'block');
        return false;
      default:
    }
    if (codeTags.has(tag)) {
      this.#inlineCode(element);
      return false;
    }
    if (blockTags.has(tag)) return this.#enterBlock(element);
    return this.#enterInline(element);
  }

  #enterInline(element: Element): boolean {
    const { name: tag } = element;
    const writer = this.#writer;
    if (emphasisTags.has(tag)) this.#enterMark(element, 'emphasis');
    else if (strongTags.has(tag)) this.#enterMark(element, writer.isWithin(termTags) ? null : 'strong');
    else if (deleteTags.has(tag)) this.#enterMark(element, writer.isWithin(deleteTags) ? null : 'delete');
    else if (tag === 'a') return !isHeadingLink(element) && this.#enterLink(element);
    else if (isRaw(element) && !this.#notes.holdsReference(element)) {
      writer.put({ type: 'html', value: startTagOf(element) });
    } else if (tag === 'q') writer.put({ type: 'text', value: '“' });
    return true;
  }

  #enterMark(element: Element, type: 'emphasis' | 'strong' | 'delete' | null): void {
    this.#writer.enterInline(element, type === null ? null : () => ({ type, children: [] }) as never);
  }

  #enterLink(element: Element): boolean {
    const note = this.#notes.referenceOf(element);
    if (note !== null) {
      this.#writer.put({ type: 'footnoteReference', identifier: note, label: note });
      return false;
    }
    const url = this.#writer.isInLink ? null : this.#linkUrl(element);
    if (url === null) this.#writer.enterInline(element, null);
    else if (this.#options.links === 'inline') {
      const title = element.attribs['title'] ?? null;
      this.#writer.enterInline(element, () => ({ type: 'link', url, title, children: [] }) as never);
    } else {
      this.#writer.enterInline(element, () => {
        const number = this.#references.get(url) ?? this.#references.size + 1;
        this.#references.set(url, number);
        const label = String(number);
        const node = { type: 'linkReference', referenceType: 'full', identifier: label, label, children: [] };
        return node as never;
      });
    }
    return true;
  }

  /** Null where a link is left out: none are wanted, or it leads nowhere. */
  #linkUrl({ attribs }: Element): string | null {
    const { base, links } = this.#options;
    const href = attribs['href'];
    const url = href === undefined ? null : base === null ? href : resolveLink(href, base);
    if (links === 'none' || url === null || /^\s*javascript:/i.test(url)) return null;
    return withoutTracking(url);
  }

  #enterBlock(element: Element): boolean {
    const { name: tag } = element;
    const writer = this.#writer;
    if (this.#tables.enter(element)) return true;
    if (writer.isOneLine) {
      writer.break();
      if (tag === 'li' && writer.isInCell) writer.put({ type: 'text', value: '• ' });
      return true;
    }
    writer.closeLine();
    if (/^h[1-6]$/.test(tag)) writer.enterHeading(element);
    else if (listTags.has(tag)) {
      if (!this.#notes.isList(element)) enterList(writer, element);
    } else if (tag === 'li') {
      if (this.#notes.definitionOf(element) === null) enterItem(writer, element);
    } else if (tag === 'blockquote') writer.openFlow(element, { type: 'blockquote', children: [] });
    else if (tag === 'dt') this.#enterMark(element, 'strong');
    else if (tag === 'dd') enterDefinition(writer, element);
    else if (tag === 'details') writer.append({ type: 'html', value: '<details>' });
    else if (tag === 'summary') {
      const line = codeText(element).replace(/\s+/g, ' ').trim();
      writer.append({ type: 'html', value: `<summary>${escapeText(line)}</summary>` });
      return false;
    }
    const note = this.#notes.definitionOf(element);
    if (note !== null) this.#enterNote(element, note);
    return true;
  }

  #enterNote(element: Element, note: string): void {
    const definition = { type: 'footnoteDefinition', identifier: note, label: note, children: [] } as Nodes &
      Holder;
    (this.#writer.tree as Holder).children.push(definition);
    this.#writer.enterFlow(element, definition);
  }

  #leave(element: Element): void {
    const { name: tag } = element;
    const writer = this.#writer;
    if (writer.leaveInline(element)) {
      if (blockTags.has(tag) || isSourceLine(element)) writer.break();
      return;
    }
    if (isRaw(element) && !this.#notes.holdsReference(element))
      writer.put({ type: 'html', value: `</${tag}>` });
    else if (tag === 'q') writer.put({ type: 'text', value: '”' });
    if (!blockTags.has(tag) || this.#tables.leave(element)) return;
    writer.leaveHeading(element);
    writer.break();
    if (tag === 'details' && !writer.isOneLine) writer.append({ type: 'html', value: '</details>' });
    writer.leaveFlow(element);
  }

  #image(element: Element): void {
    if (!this.#options.images || isTrackingPixel(element)) return;
    const { base } = this.#options;
    const url = base === null ? (element.attribs['src'] ?? null) : imageUrl(element, base);
    if (url === null) return;
    const alt = (element.attribs['alt'] ?? '').replace(/\s+/g, ' ');
    this.#writer.put({ type: 'image', url, alt, title: element.attribs['title'] ?? null });
  }

  #code(pre: Element): void {
    const writer = this.#writer;
    const value = codeText(pre).replace(/\n$/, '');
    if (writer.isOneLine) {
      writer.break();
      for (const line of value.split('\n')) {
        if (line.trim() === '') continue;
        writer.put({ type: 'inlineCode', value: line });
        writer.break();
      }
      return;
    }
    writer.closeLine();
    writer.append({ type: 'code', lang: languageOf(pre), value });
    writer.closeLine();
  }

  #inlineCode(element: Element): void {
    const value = codeText(element);
    if (/(?:^|\s)math(?:\s|$)|math-(?:inline|display)/.test(element.attribs['class'] ?? '')) {
      this.#math(value.trim(), /display/.test(element.attribs['class'] ?? ''));
      return;
    }
    if (value === '') return;
    this.#writer.put({
      type: 'inlineCode',
      value: value.replace(/\s+/g, (gap) => (gap.includes('\n') ? ' ' : gap)),
    });
  }

  #math(value: string, isDisplay: boolean): void {
    if (value === '') return;
    const writer = this.#writer;
    if (isDisplay && !writer.isOneLine && !writer.hasLine) {
      writer.append({ type: 'math', value } satisfies MathNode);
      writer.closeLine();
    } else {
      const line = value.replace(/\s+/g, ' ');
      // A bar would end a cell, also within a formula, and the library writes formulas as they are.
      const tex = writer.isInCell ? line.replace(/\\\\|\\\||\|/g, (mark) => barsInCells[mark] ?? mark) : line;
      writer.put({ type: 'inlineMath', value: tex } satisfies InlineMath);
    }
  }

  #comment(comment: AnyNode & { data: string }): void {
    const writer = this.#writer;
    const value = writer.isOneLine ? null : commentOf(comment, writer.hasLine);
    if (value === null) return;
    if (writer.hasLine) writer.put({ type: 'html', value });
    else writer.append({ type: 'html', value });
  }

  #checkbox({ attribs }: Element): void {
    const { flow } = this.#writer;
    if (attribs['type']?.toLowerCase() !== 'checkbox' || flow.type !== 'listItem') return;
    if (flow.children.length === 0) flow.checked = Object.hasOwn(attribs, 'checked');
  }
}

/** Markdown sets notes apart by itself: the rule before them stood between the text and nothing. */
function dropRuleOfNotes(children: Root['children']): void {
  const at = children.findLastIndex(({ type }) => type !== 'footnoteDefinition');
  if (at < children.length - 1 && children[at]?.type === 'thematicBreak') children.splice(at, 1);
}

/** Where a page of a document begins is told, not drawn. */
function ruleOf({ attribs }: Element): Nodes {
  const page = attribs['data-page'];
  return page !== undefined && /^\d+$/.test(page)
    ? { type: 'html', value: `<!-- page ${page} -->` }
    : { type: 'thematicBreak' };
}
