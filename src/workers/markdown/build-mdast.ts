import type { AnyNode, Document, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import type { List, Nodes, Root, RootContent, Table, TableCell, TableRow } from 'mdast';
import type { InlineMath, Math as MathNode } from 'mdast-util-math';
import { blockTags, codeText, isHidden, isSilent, mathText, walk } from '../extract/blocks.ts';
import { imageUrl, isTrackingPixel, resolveLink } from '../extract/addresses.ts';
import { languageOf } from '../extract/code-language.ts';
import { escapeText } from '../extract/content-html.ts';
import { alignOf, cellsOf, isDataTable, spanOf } from './tables.ts';
import { type Footnotes, findFootnotes } from './footnotes.ts';
import { withoutTracking } from './tracking.ts';

export interface BuildOptions {
  /** Addresses are resolved against it; null leaves them as they are. */
  base: string | null;
  links: 'inline' | 'referenced' | 'none';
  images: boolean;
}

type Holder = { children: Nodes[] };
interface Inline {
  element: Element;
  /** Null: nothing of its own, as of a link that is left out. */
  make: (() => Holder & Nodes) | null;
  /** Its node in the line that is open. */
  node: Holder | null;
}

/** Deeper, quotes and lists are told as what stands in the one above. */
const deepestFlow = 60;
const deepestInline = 16;

const emphasisTags = new Set(['em', 'i', 'cite', 'dfn', 'var']);
const strongTags = new Set(['strong', 'b']);
/** Written as strong text: what is strong in them is no more. */
const termTags = new Set(['dt']);
const deleteTags = new Set(['del', 's', 'strike']);
const codeTags = new Set(['code', 'kbd', 'samp', 'tt']);
const rawTags = new Set(['sub', 'sup']);

/** Turns a page's tree into markdown's, without recursion. */
export function buildMdast(root: Document | Element, options: BuildOptions): Root {
  return new Builder(root, options).build();
}

class Builder {
  readonly #root: Document | Element;
  readonly #options: BuildOptions;
  readonly #notes: Footnotes;
  readonly #tree: Root = { type: 'root', children: [] };
  /** Nodes that blocks are put in, the innermost last, each with the element that opened it. */
  readonly #flows: { node: Holder; element: AnyNode | null }[];
  readonly #inlines: Inline[] = [];
  readonly #references = new Map<string, number>();
  #line: Holder | null = null;
  /** What stands between what was put last and what comes next: nothing where the block ends. */
  #space = false;
  #breaks = 0;
  #heading: Element | null = null;
  #cell: Element | null = null;
  #cellBreak = false;
  readonly #tables: { element: Element; table: Table; spans: number[]; row: TableRow | null }[] = [];

  constructor(root: Document | Element, options: BuildOptions) {
    this.#root = root;
    this.#options = options;
    this.#notes = findFootnotes(root, options.base);
    this.#flows = [{ node: this.#tree as Holder, element: null }];
  }

  build(): Root {
    walk(
      this.#root,
      (element) => this.#enter(element),
      (element) => this.#leave(element),
      (node) => this.#write(node.data),
    );
    this.#closeLine();
    for (const [url, number] of this.#references) {
      this.#tree.children.push({
        type: 'definition',
        identifier: String(number),
        label: String(number),
        url,
      });
    }
    return this.#tree;
  }

  get #flow(): Holder {
    return (this.#flows.at(-1) as { node: Holder }).node;
  }

  #closeLine(): void {
    this.#line = null;
    this.#space = false;
    this.#breaks = 0;
    for (const inline of this.#inlines) inline.node = null;
  }

  /** A block begins or ends: in a cell and a heading that is no more than a gap. */
  #break(): void {
    if (this.#cell !== null) this.#cellBreak = (this.#line?.children.length ?? 0) > 0;
    else if (this.#heading !== null) this.#space = true;
    else this.#closeLine();
  }

  #openLine(): Holder {
    if (this.#line === null) {
      const paragraph = { type: 'paragraph', children: [] } satisfies Nodes;
      this.#append(paragraph);
      this.#line = paragraph;
    }
    return this.#line;
  }

  /** Puts a block where blocks can stand. */
  #append(node: Nodes): void {
    const holder = this.#flow as Holder & Nodes;
    if (holder.type === 'list') {
      const item = { type: 'listItem', spread: false, children: [node as never] } satisfies Nodes;
      holder.children.push(item);
    } else holder.children.push(node);
  }

  #put(node: Nodes): void {
    let holder = this.#openLine();
    for (const inline of this.#inlines) {
      if (inline.make === null) continue;
      if (inline.node === null) break;
      holder = inline.node;
    }
    if (this.#cellBreak) {
      this.#cellBreak = false;
      this.#space = false;
      (this.#line as Holder).children.push({ type: 'html', value: '<br>' });
      for (const inline of this.#inlines) inline.node = null;
      holder = this.#line as Holder;
    } else if (this.#breaks > 0) {
      for (; this.#breaks > 0; this.#breaks--) holder.children.push({ type: 'break' });
    } else if (this.#space && (this.#line as Holder).children.length > 0) addText(holder, ' ');
    this.#space = false;
    for (const inline of this.#inlines) {
      if (inline.make === null) continue;
      if (inline.node === null) {
        const [last, made] = [holder.children.at(-1), inline.make()];
        // Two deletions side by side would be read as none.
        inline.node = made.type === 'delete' && last?.type === 'delete' ? (last as Holder) : made;
        if (inline.node === made) holder.children.push(made);
      }
      holder = inline.node;
    }
    addInline(holder, node);
  }

  #write(data: string): void {
    const text = /[\t\r\n\f]| {2}/.test(data) ? data.replace(/[ \t\r\n\f]+/g, ' ') : data;
    if (text === '') return;
    const isFresh = this.#line === null || this.#line.children.length === 0;
    if (text === ' ') {
      if (!isFresh) this.#space = true;
      return;
    }
    if (text.startsWith(' ') && !isFresh) this.#space = true;
    this.#put({
      type: 'text',
      value: text.slice(text.startsWith(' ') ? 1 : 0, text.endsWith(' ') ? -1 : undefined),
    });
    if (text.endsWith(' ')) this.#space = true;
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
        this.#lineBreak();
        return false;
      case 'hr':
        this.#break();
        if (this.#cell === null && this.#heading === null) this.#append(ruleOf(element));
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
    const open = (make: Inline['make']): true => {
      this.#begin(element, make);
      return true;
    };
    if (emphasisTags.has(tag)) return open(() => ({ type: 'emphasis', children: [] }) as never);
    if (strongTags.has(tag)) {
      return open(this.#isWithin(termTags) ? null : () => ({ type: 'strong', children: [] }) as never);
    }
    if (deleteTags.has(tag)) {
      return open(this.#isWithin(deleteTags) ? null : () => ({ type: 'delete', children: [] }) as never);
    }
    if (tag === 'a') return this.#enterLink(element, open);
    if (rawTags.has(tag) && !this.#notes.holdsReference(element)) {
      this.#put({ type: 'html', value: `<${tag}>` });
    } else if (tag === 'q') this.#put({ type: 'text', value: '“' });
    return true;
  }

  /** What stands deeper is text alone. */
  #begin(element: Element, make: Inline['make']): void {
    if (this.#inlines.length < deepestInline) this.#inlines.push({ element, make, node: null });
  }

  #isWithin(tags: ReadonlySet<string>): boolean {
    return this.#inlines.some(({ element }) => tags.has(element.name));
  }

  #enterLink(element: Element, open: (make: Inline['make']) => true): boolean {
    const { attribs } = element;
    const note = this.#notes.referenceOf(element);
    if (note !== null) {
      this.#put({ type: 'footnoteReference', identifier: note, label: note });
      return false;
    }
    const { base, links } = this.#options;
    const href = attribs['href'];
    const url = href === undefined ? null : base === null ? href : resolveLink(href, base);
    if (links === 'none' || url === null || /^\s*javascript:/i.test(url)) return open(null);
    const clean = withoutTracking(url);
    if (clean === null) return open(null);
    // A link inside of a link is none.
    if (this.#inlines.some((inline) => inline.element.name === 'a' && inline.make !== null))
      return open(null);
    const title = attribs['title'] ?? null;
    if (links === 'inline') return open(() => ({ type: 'link', url: clean, title, children: [] }) as never);
    return open(() => {
      const number = this.#references.get(clean) ?? this.#references.size + 1;
      this.#references.set(clean, number);
      return {
        type: 'linkReference',
        referenceType: 'full',
        identifier: String(number),
        label: String(number),
        children: [],
      } as never;
    });
  }

  #enterBlock(element: Element): boolean {
    const { name: tag } = element;
    if (tag === 'table') return this.#enterTable(element);
    const table = this.#tables.at(-1);
    if (table !== undefined && this.#enterTablePart(element, table)) return true;
    if (this.#cell !== null || this.#heading !== null) {
      this.#break();
      if (tag === 'li' && this.#cell !== null) this.#put({ type: 'text', value: '• ' });
      return true;
    }
    this.#closeLine();
    if (/^h[1-6]$/.test(tag)) {
      const heading = { type: 'heading', depth: Number(tag[1]) as 1, children: [] } satisfies Nodes;
      this.#append(heading);
      this.#line = heading;
      this.#heading = element;
    } else if (tag === 'ul' || tag === 'ol' || tag === 'menu' || tag === 'dir') this.#list(element);
    else if (tag === 'li') this.#listItem(element);
    else if (tag === 'blockquote') this.#open(element, { type: 'blockquote', children: [] });
    else if (tag === 'dt') this.#begin(element, () => ({ type: 'strong', children: [] }) as never);
    else if (tag === 'dd') this.#definition(element);
    else if (tag === 'details') this.#append({ type: 'html', value: '<details>' });
    else if (tag === 'summary') {
      this.#append({ type: 'html', value: `<summary>${escapeText(lineOf(element))}</summary>` });
      return false;
    }
    const note = this.#notes.definitionOf(element);
    if (note !== null) this.#footnote(element, note);
    return true;
  }

  #open(element: AnyNode, node: Nodes & Holder): boolean {
    if (this.#flows.length > deepestFlow) return false;
    this.#append(node);
    this.#flows.push({ node, element });
    return true;
  }

  #list(element: Element): void {
    if (this.#notes.isList(element)) return;
    const isOrdered = element.name === 'ol';
    const spread = element.children.some(
      (child) =>
        isTag(child) &&
        child.name === 'li' &&
        child.children.some((part) => isTag(part) && part.name === 'p'),
    );
    this.#open(element, {
      type: 'list',
      ordered: isOrdered,
      start: isOrdered ? firstNumber(element) : null,
      spread,
      children: [],
    });
  }

  #listItem(element: Element): void {
    if (this.#notes.definitionOf(element) !== null) return;
    const holder = this.#flow as Holder & Nodes;
    const spread = holder.type === 'list' ? Boolean(holder.spread) : false;
    const item = { type: 'listItem', spread, children: [] } as Nodes & Holder;
    if (holder.type !== 'list') {
      const before = holder.children.at(-1);
      // Items without a list of their own follow each other as one.
      if (before?.type === 'list' && !before.ordered) {
        before.children.push(item as never);
        this.#flows.push({ node: item, element });
        return;
      }
      this.#open(element, { type: 'list', ordered: false, spread, children: [item as never] });
      if (this.#flows.at(-1)?.element === element) (this.#flows.at(-1) as { node: Holder }).node = item;
    } else if (this.#flows.length <= deepestFlow + 1) {
      this.#numbered(element, holder).children.push(item);
      this.#flows.push({ node: item, element });
    }
  }

  /** The list that this item stands in: a new one where its number does not follow the one before. */
  #numbered(item: Element, list: List): Holder {
    const next = (list.start ?? 1) + list.children.length;
    const first = list.children.length === 0;
    const { parent } = item;
    const step = parent !== null && isTag(parent) && Object.hasOwn(parent.attribs, 'reversed') ? -1 : 1;
    const number = readNumber(item.attribs['value']) ?? (first ? next : next - 1 + step);
    const flow = this.#flows.at(-1);
    if (!list.ordered || number === next || number < 0 || flow === undefined) return list as Holder;
    if (first) {
      list.start = number;
      return list as Holder;
    }
    const other = {
      type: 'list',
      ordered: true,
      start: number,
      spread: list.spread ?? false,
      children: [],
    } satisfies List;
    this.#flows.pop();
    this.#append(other);
    this.#flows.push({ ...flow, node: other });
    return other;
  }

  #definition(element: Element): void {
    const before = this.#flow.children.at(-1);
    const item = { type: 'listItem', spread: false, children: [] } as Nodes & Holder;
    if (before?.type === 'list' && !before.ordered && isDefinitionBefore(element)) {
      before.children.push(item as never);
      this.#flows.push({ node: item, element });
      return;
    }
    this.#listItem(element);
  }

  #footnote(element: Element, note: string): void {
    const definition = { type: 'footnoteDefinition', identifier: note, label: note, children: [] } as Nodes &
      Holder;
    this.#tree.children.push(definition as RootContent);
    this.#flows.push({ node: definition, element });
  }

  #leave(element: Element): void {
    const { name: tag } = element;
    if (this.#inlines.at(-1)?.element === element) {
      this.#inlines.pop();
      if (blockTags.has(tag)) this.#break();
      return;
    }
    if (rawTags.has(tag) && !this.#notes.holdsReference(element))
      this.#put({ type: 'html', value: `</${tag}>` });
    else if (tag === 'q') this.#put({ type: 'text', value: '”' });
    if (!blockTags.has(tag)) return;
    if (this.#leaveTable(element)) return;
    if (this.#heading === element) this.#heading = null;
    this.#break();
    if (tag === 'details' && this.#cell === null && this.#heading === null) {
      this.#append({ type: 'html', value: '</details>' });
    }
    if (this.#flows.at(-1)?.element === element) this.#flows.pop();
  }

  #lineBreak(): void {
    if (this.#line === null || this.#line.children.length === 0) return;
    this.#space = false;
    if (this.#cell !== null) this.#cellBreak = true;
    else if (this.#heading !== null) this.#space = true;
    else this.#breaks++;
  }

  #image(element: Element): void {
    if (!this.#options.images || isTrackingPixel(element)) return;
    const { base } = this.#options;
    const url = base === null ? (element.attribs['src'] ?? null) : imageUrl(element, base);
    if (url === null) return;
    const alt = (element.attribs['alt'] ?? '').replace(/\s+/g, ' ');
    this.#put({ type: 'image', url, alt, title: element.attribs['title'] ?? null });
  }

  #code(pre: Element): void {
    const value = codeText(pre).replace(/\n$/, '');
    if (this.#cell !== null || this.#heading !== null) {
      this.#break();
      for (const line of value.split('\n')) {
        if (line.trim() === '') continue;
        this.#put({ type: 'inlineCode', value: line });
        this.#break();
      }
      return;
    }
    this.#closeLine();
    this.#append({ type: 'code', lang: languageOf(pre), value });
    this.#closeLine();
  }

  #inlineCode(element: Element): void {
    const value = codeText(element);
    if (/(?:^|\s)math(?:\s|$)|math-(?:inline|display)/.test(element.attribs['class'] ?? '')) {
      this.#math(value.trim(), /display/.test(element.attribs['class'] ?? ''));
      return;
    }
    if (value === '') return;
    this.#put({
      type: 'inlineCode',
      value: value.replace(/\s+/g, (gap) => (gap.includes('\n') ? ' ' : gap)),
    });
  }

  #math(value: string, isDisplay: boolean): void {
    if (value === '') return;
    if (isDisplay && this.#cell === null && this.#heading === null && this.#line === null) {
      this.#append({ type: 'math', value } satisfies MathNode);
      this.#closeLine();
    } else this.#put({ type: 'inlineMath', value: value.replace(/\s+/g, ' ') } satisfies InlineMath);
  }

  #checkbox({ attribs }: Element): void {
    const flow = this.#flows.at(-1)?.node as (Holder & Nodes) | undefined;
    if (attribs['type']?.toLowerCase() !== 'checkbox' || flow?.type !== 'listItem') return;
    if (flow.children.length === 0) flow.checked = Object.hasOwn(attribs, 'checked');
  }

  #enterTable(element: Element): boolean {
    if (this.#cell !== null || this.#heading !== null || !isDataTable(element)) {
      this.#break();
      return true;
    }
    this.#closeLine();
    const table: Table = { type: 'table', align: [], children: [] };
    this.#tables.push({ element, table, spans: [], row: null });
    return true;
  }

  #enterTablePart(element: Element, open: { table: Table; spans: number[]; row: TableRow | null }): boolean {
    const { name: tag } = element;
    if (this.#cell !== null) return false;
    if (tag === 'tr') {
      open.row = { type: 'tableRow', children: [] };
      open.table.children.push(open.row);
      return true;
    }
    if ((tag === 'td' || tag === 'th') && open.row !== null) {
      const { row, spans, table } = open;
      fillSpans(row, spans);
      const cell: TableCell = { type: 'tableCell', children: [] };
      const { columns, rows } = spanOf(element);
      for (let n = 0; n < columns; n++) {
        const column = row.children.length;
        if (rows > 1) spans[column] = rows;
        if (table.children.length === 1) table.align?.push(alignOf(element));
        row.children.push(n === 0 ? cell : { type: 'tableCell', children: [] });
      }
      this.#closeLine();
      this.#line = cell as Holder;
      this.#cell = element;
      this.#cellBreak = false;
      return true;
    }
    if (tag === 'caption') {
      this.#closeLine();
      return true;
    }
    return tag === 'thead' || tag === 'tbody' || tag === 'tfoot';
  }

  #leaveTable(element: Element): boolean {
    const open = this.#tables.at(-1);
    if (open === undefined) return false;
    const { name: tag } = element;
    if (this.#cell === element) {
      this.#cell = null;
      this.#cellBreak = false;
      this.#closeLine();
      return true;
    }
    if (this.#cell !== null) return false;
    if (tag === 'tr' && open.row !== null) {
      fillSpans(open.row, open.spans);
      open.spans = open.spans.map((rows) => Math.max(0, (rows ?? 0) - 1));
      open.row = null;
      return true;
    }
    if (open.element !== element) return tag === 'thead' || tag === 'tbody' || tag === 'tfoot';
    this.#tables.pop();
    this.#closeLine();
    const rows = cellsOf(open.table);
    if (rows > 0) this.#append(open.table);
    this.#closeLine();
    return true;
  }
}

/** Where a page of a document begins is told, not drawn. */
function ruleOf({ attribs }: Element): Nodes {
  const page = attribs['data-page'];
  return page !== undefined && /^\d+$/.test(page)
    ? { type: 'html', value: `<!-- page ${page} -->` }
    : { type: 'thematicBreak' };
}

const addText = (holder: Holder, value: string): void => addInline(holder, { type: 'text', value });

function addInline(holder: Holder, node: Nodes): void {
  const last = holder.children.at(-1);
  // Marks of code and formulas that stand side by side would be read as other marks.
  if ((node.type === 'text' || node.type === 'inlineCode') && last?.type === node.type) {
    last.value += node.value;
    return;
  }
  if (node.type === 'inlineMath' && last?.type === 'inlineMath') addText(holder, ' ');
  holder.children.push(node);
}

/** Cells that one above reaches into. */
function fillSpans(row: TableRow, spans: readonly number[]): void {
  while ((spans[row.children.length] ?? 0) > 0) row.children.push({ type: 'tableCell', children: [] });
}

const readNumber = (text: string | undefined): number | null =>
  /^\s*\d{1,9}\s*$/.test(text ?? '') ? Number(text) : null;

/** A list that counts down begins with the number of its items. */
function firstNumber({ attribs, children }: Element): number {
  const items = Object.hasOwn(attribs, 'reversed')
    ? children.filter((child) => isTag(child) && child.name === 'li').length
    : 1;
  return readNumber(attribs['start']) ?? items;
}

/** Text without marks, on one line. */
const lineOf = (element: Element): string => codeText(element).replace(/\s+/g, ' ').trim();

function isDefinitionBefore(element: Element): boolean {
  for (let before = element.prev; before !== null; before = before.prev) {
    if (isTag(before)) return before.name === 'dd';
    if (isText(before) && before.data.trim() !== '') return false;
  }
  return false;
}
