/** Elements whose text nobody sees, as their tags come by; HTML within an SVG is seen again. */
export class SilentElements {
  readonly #names: ReadonlySet<string>;
  readonly #open: string[] = [];
  readonly #counts = new Map<string, number>();

  constructor(names: readonly string[]) {
    this.#names = new Set(names);
  }

  /** The one that is silent here; null where text is seen. */
  get inside(): string | null {
    const innermost = this.#open.at(-1) ?? null;
    return innermost === 'foreignobject' ? null : innermost;
  }

  /** @returns whether the element is silent. */
  start(name: string, attributes: ReadonlyMap<string, string>): boolean {
    // A declared shadow tree is shown.
    const isSilent = this.#names.has(name) && !attributes.has('shadowrootmode');
    if (isSilent || (name === 'foreignobject' && this.inside === 'svg')) {
      this.#open.push(name);
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    }
    return isSilent;
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
