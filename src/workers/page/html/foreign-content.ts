/** Start tags that end SVG and MathML in which they stand (HTML standard, 13.2.6.5). */
const breakouts = new Set(
  'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var'.split(
    ' ',
  ),
);
/** Elements whose content is HTML again, by the root that they stand in. */
const integrationPoints = new Map([
  ['svg', new Set(['desc', 'foreignobject', 'title'])],
  ['math', new Set(['mi', 'mn', 'mo', 'ms', 'mtext'])],
]);

const none: string[] = [];
const html = { ended: none, isForeign: false };

/** Keeps account of SVG and MathML in a document whose tags come by one after the other. No tree is needed for that. */
export class ForeignContent {
  /** Open roots and integration points, the innermost last. */
  readonly #open: string[] = [];
  readonly #counts = new Map<string, number>();

  /** Whether the next tag is one of SVG or MathML: its content is markup, whatever it is called, and its `/>` counts. */
  get isForeign(): boolean {
    const inside = this.#open.at(-1);
    return inside === 'svg' || inside === 'math';
  }

  /**
   * A start tag that comes by.
   * @param isOfHtml it is `font` with a colour, a face or a size, as HTML has it, or `annotation-xml` of HTML by its
   * `encoding`.
   * @returns the elements that it ends, those of an SVG that nobody has closed; and whether it is itself of SVG or
   * MathML.
   */
  start(name: string, isSelfClosing: boolean, isOfHtml: boolean): { ended: string[]; isForeign: boolean } {
    const isRoot = name === 'svg' || name === 'math';
    if (this.#open.length === 0 && !isRoot) return html;
    const ended: string[] = [];
    if (breakouts.has(name) || (name === 'font' && isOfHtml))
      while (this.isForeign) ended.push(this.#close() ?? '');
    const isForeign = this.isForeign || isRoot;
    const isPoint =
      this.isForeign &&
      (name === 'annotation-xml'
        ? isOfHtml && this.#open.at(-1) === 'math'
        : integrationPoints.get(this.#open.at(-1) ?? '')?.has(name) === true);
    if (!isSelfClosing && (isRoot || isPoint)) {
      this.#open.push(name);
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    }
    return { ended, isForeign };
  }

  /**
   * An end tag that comes by: with its element all that is open in it ends.
   * @returns what it ends besides: `</p>` and `</br>` are never of SVG or MathML.
   */
  end(name: string): string[] {
    if (this.#open.length === 0) return none;
    const ended: string[] = [];
    if (name === 'p' || name === 'br') while (this.isForeign) ended.push(this.#close() ?? '');
    if ((this.#counts.get(name) ?? 0) > 0)
      for (let one = this.#close(); one !== undefined && one !== name; one = this.#close());
    return ended;
  }

  #close(): string | undefined {
    const name = this.#open.pop();
    if (name !== undefined) this.#counts.set(name, (this.#counts.get(name) ?? 1) - 1);
    return name;
  }
}
