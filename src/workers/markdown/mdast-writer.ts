import type { AnyNode, Element } from 'domhandler';
import type { Nodes, Root } from 'mdast';

export type Holder = { children: Nodes[] };
/** Makes the node of an element in a line; null where it has none of its own, as a link that is left out. */
export type MakeInline = (() => Holder & Nodes) | null;

interface Inline {
  element: Element;
  make: MakeInline;
  /** Its node in the line that is open. */
  node: Holder | null;
}

/** Deeper, quotes and lists are told as what stands in the one above. */
const deepestFlow = 60;
const deepestInline = 16;

/** Puts texts and nodes in the order of a page where markdown has them: in a line, and lines and blocks in what is open. */
export class MdastWriter {
  readonly tree: Root = { type: 'root', children: [] };
  /** Nodes that blocks are put in, the innermost last, each with the element that opened it. */
  readonly #flows: { node: Holder; element: AnyNode | null }[] = [
    { node: this.tree as Holder, element: null },
  ];
  readonly #inlines: Inline[] = [];
  #line: Holder | null = null;
  /** What stands between what was put last and what comes next: nothing where the block ends. */
  #space = false;
  #breaks = 0;
  #heading: Element | null = null;
  #cell: Element | null = null;
  #cellBreak = false;

  get flow(): Holder & Nodes {
    return this.#flows.at(-1)?.node as Holder & Nodes;
  }

  get hasLine(): boolean {
    return this.#line !== null;
  }

  get isInCell(): boolean {
    return this.#cell !== null;
  }

  /** In a heading and a cell all is one line. */
  get isOneLine(): boolean {
    return this.#cell !== null || this.#heading !== null;
  }

  get isTooDeep(): boolean {
    return this.#flows.length > deepestFlow;
  }

  closeLine(): void {
    this.#line = null;
    this.#space = false;
    this.#breaks = 0;
    for (const inline of this.#inlines) inline.node = null;
  }

  /** A block begins or ends: in a cell and a heading that is no more than a gap. */
  break(): void {
    if (this.#cell !== null) this.#cellBreak = (this.#line?.children.length ?? 0) > 0;
    else if (this.#heading !== null) this.#space = true;
    else this.closeLine();
  }

  #openLine(): Holder {
    if (this.#line === null) {
      const paragraph = { type: 'paragraph', children: [] } satisfies Nodes;
      this.append(paragraph);
      this.#line = paragraph;
    }
    return this.#line;
  }

  /** Puts a block where blocks can stand. */
  append(node: Nodes): void {
    const holder = this.flow;
    const last = holder.type === 'list' && node.type === 'list' ? holder.children.at(-1) : undefined;
    // A list that stands between items is shown as one of the item before.
    if (last !== undefined) (last as unknown as Holder).children.push(node);
    else if (holder.type === 'list') {
      const item = { type: 'listItem', spread: false, children: [node as never] } satisfies Nodes;
      holder.children.push(item);
    } else holder.children.push(node as never);
  }

  put(node: Nodes): void {
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

  write(data: string): void {
    const text = /[\t\r\n\f]| {2}/.test(data) ? data.replace(/[ \t\r\n\f]+/g, ' ') : data;
    if (text === '') return;
    const isFresh = this.#line === null || this.#line.children.length === 0;
    if (text === ' ') {
      if (!isFresh) this.#space = true;
      return;
    }
    if (text.startsWith(' ') && !isFresh) this.#space = true;
    if (unseen.test(text) && this.isInLink) return;
    this.put({
      type: 'text',
      value: text.slice(text.startsWith(' ') ? 1 : 0, text.endsWith(' ') ? -1 : undefined),
    });
    if (text.endsWith(' ')) this.#space = true;
  }

  lineBreak(): void {
    if (this.#line === null || this.#line.children.length === 0) return;
    this.#space = false;
    if (this.#cell !== null) this.#cellBreak = true;
    else if (this.#heading !== null) this.#space = true;
    else this.#breaks++;
  }

  /** What stands deeper is text alone. */
  enterInline(element: Element, make: MakeInline): void {
    if (this.#inlines.length < deepestInline) this.#inlines.push({ element, make, node: null });
  }

  /** @returns whether the element was entered as a part of a line. */
  leaveInline(element: Element): boolean {
    if (this.#inlines.at(-1)?.element !== element) return false;
    this.#inlines.pop();
    return true;
  }

  isWithin(tags: ReadonlySet<string>): boolean {
    return this.#inlines.some(({ element }) => tags.has(element.name));
  }

  get isInLink(): boolean {
    return this.#inlines.some(({ element, make }) => element.name === 'a' && make !== null);
  }

  enterHeading(element: Element): void {
    const heading = { type: 'heading', depth: Number(element.name[1]) as 1, children: [] } satisfies Nodes;
    this.append(heading);
    this.#line = heading;
    this.#heading = element;
  }

  leaveHeading(element: Element): void {
    if (this.#heading === element) this.#heading = null;
  }

  enterCell(element: Element, node: Holder): void {
    this.closeLine();
    this.#line = node;
    this.#cell = element;
    this.#cellBreak = false;
  }

  /** @returns whether it is the cell that is open. */
  leaveCell(element: Element): boolean {
    if (this.#cell !== element) return false;
    this.#cell = null;
    this.#cellBreak = false;
    this.closeLine();
    return true;
  }

  /** What comes next is put in this node, until its element ends. */
  enterFlow(element: AnyNode, node: Holder): void {
    this.#flows.push({ node, element });
  }

  /** Puts a block that holds what comes next; not where too many are open. */
  openFlow(element: AnyNode, node: Holder & Nodes): void {
    if (this.isTooDeep) return;
    this.append(node);
    this.enterFlow(element, node);
  }

  /** Ends the innermost block, and goes on in another of the same element. */
  restartFlow(node: Holder & Nodes): void {
    const element = this.#flows.pop()?.element ?? null;
    this.append(node);
    this.#flows.push({ node, element });
  }

  leaveFlow(element: Element): void {
    if (this.#flows.at(-1)?.element === element) this.#flows.pop();
  }
}

const unseen = /^[\s\p{Cf}]+$/u;

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
