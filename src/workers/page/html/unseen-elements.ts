/** Parts of an SVG that are not drawn where they stand, and their like that are never drawn. */
const undrawn = new Set('clippath defs desc marker mask metadata pattern symbol'.split(' '));

/** Elements whose text nobody sees, as their tags come by; HTML within an SVG is seen again. */
export class UnseenElements {
  readonly #names: ReadonlySet<string>;
  readonly #seen: ReadonlySet<string>;
  readonly #open: string[] = [];
  readonly #counts = new Map<string, number>();

  /** @param seen elements of an SVG in which text is seen. */
  constructor(names: readonly string[], seen: readonly string[] = ['foreignobject']) {
    this.#names = new Set(names);
    this.#seen = new Set(seen);
  }

  /** The unseen one that stands around; null where text is seen. */
  get inside(): string | null {
    const innermost = this.#open.at(-1) ?? null;
    return innermost === null || this.#seen.has(innermost) ? null : innermost;
  }

  /** The element of an SVG whose text is seen here; null outside of one. */
  get drawn(): string | null {
    const innermost = this.#open.at(-1) ?? '';
    return this.#seen.has(innermost) ? innermost : null;
  }

  /** @returns whether the element is unseen. */
  start(name: string, attributes: ReadonlyMap<string, string>): boolean {
    // A declared shadow tree is shown.
    const isUnseen = this.#names.has(name) && !attributes.has('shadowrootmode');
    if (isUnseen || (this.inside === 'svg' && (this.#seen.has(name) || undrawn.has(name)))) {
      this.#open.push(name);
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    }
    return isUnseen;
  }

  /** @returns whether one was open, and ends here with all that is open in it. */
  end(name: string): boolean {
    if ((this.#counts.get(name) ?? 0) === 0) return false;
    for (let ended = this.#open.pop(); ended !== undefined; ended = this.#open.pop()) {
      this.#counts.set(ended, (this.#counts.get(ended) ?? 1) - 1);
      if (ended === name) return true;
    }
    return false;
  }
}
