import { isVoid } from './void-elements.ts';

type Names = ReadonlySet<string>;
const setOf = (names: string): Names => new Set(names.split(' '));
const without = (names: Names, others: string): Names => {
  const left = new Set(names);
  for (const name of others.split(' ')) left.delete(name);
  return left;
};

/** HTML standard, 13.2.4.2: they keep what stands in them from ending what is around them. */
const scope = 'applet caption marquee object select table td template th';
const special = setOf(
  `${scope} address article aside blockquote button center dd details dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup iframe li listing main menu nav noembed noframes noscript ol p plaintext pre script search section style summary tbody textarea tfoot thead title tr ul xmp`,
);
const formatting = setOf('a b big code em font i nobr s small strike strong tt u');
/** The end tag of any of them ends the one that is open. */
const headings = setOf('h1 h2 h3 h4 h5 h6');
const tableParts = setOf('caption colgroup table tbody td tfoot th thead tr');
/** A document ends where it ends, whatever is written behind its end tags. */
const wholes = setOf('body frameset head html');

const ofTables = setOf('table template');
const ofScopes = setOf(scope);
/** 13.2.6.4.4: `</template>` ends whatever is open in it. */
const none: Names = new Set();

interface Ending {
  /** These end, with all that is open in them… */
  ends: Names;
  /** …unless one of these stands between. */
  within: Names;
}

const paragraph: Ending = { ends: setOf('p'), within: setOf(`${scope} button`) };
const itemOf = (names: string): Ending => ({
  ends: setOf(names),
  within: without(special, `address div p ${names}`),
});
const partOf = (ends: string, within: Names): Ending => ({ ends: setOf(ends), within });

/** What ends where another element begins (13.2.6.4.7 and following), since its end tag may be left out. */
const endings = new Map<string, readonly Ending[]>();
const tell = (names: string, ...found: Ending[]): void => {
  for (const name of names.split(' ')) endings.set(name, found);
};
tell(
  'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr listing main menu nav ol p plaintext pre search section summary table ul xmp',
  paragraph,
);
tell('li', itemOf('li'), paragraph);
tell('dd dt', itemOf('dd dt'), paragraph);
tell('option', partOf('option', setOf('select datalist optgroup template')));
tell('optgroup', partOf('option optgroup', setOf('select datalist template')));
tell('rp rt', partOf('rp rt', setOf('ruby rtc template')));
tell('rb rtc', partOf('rb rp rt rtc', setOf('ruby template')));
tell('td th', partOf('td th caption colgroup', ofTables));
tell('tr', partOf('tr td th caption colgroup', ofTables));
tell('caption colgroup tbody tfoot thead', partOf('tbody tfoot thead tr td th caption colgroup', ofTables));

/** Elements that are looked at for one tag: nesting without end costs no more. */
const furthest = 100;

/** The elements that are open where a tag comes by, as the HTML standard has them, without a tree. */
export class OpenElements<State> {
  readonly #open: { name: string; state: State }[] = [];
  readonly #counts = new Map<string, number>();

  /** What is kept of the innermost one. */
  get state(): State | undefined {
    return this.#open.at(-1)?.state;
  }

  /** @param stateOf is asked once what ends here has ended, and not for an element that holds nothing. */
  start(name: string, stateOf: () => State): void {
    if (wholes.has(name)) return;
    for (const one of endings.get(name) ?? []) this.#endBefore(one);
    if (isVoid(name)) return;
    this.#open.push({ name, state: stateOf() });
    this.#counts.set(name, this.#count(name) + 1);
  }

  end(name: string): void {
    const isHeading = headings.has(name);
    if (isHeading ? !this.#isOpen(headings) : this.#count(name) === 0) return;
    const isEnded = (one: string): boolean => one === name || (isHeading && headings.has(one));
    const isInline = !special.has(name) && !formatting.has(name);
    const within = tableParts.has(name)
      ? ofTables
      : isInline
        ? special
        : name === 'template'
          ? none
          : ofScopes;
    const last = this.#furthest;
    for (let at = this.#open.length - 1; at >= last; at--) {
      const one = this.#open[at]?.name ?? '';
      if (isEnded(one)) return this.#cut(at);
      if (within.has(one)) return;
    }
    this.#cut(this.#open.findLastIndex((one) => isEnded(one.name)));
  }

  get #furthest(): number {
    return Math.max(0, this.#open.length - furthest);
  }

  #count(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  #isOpen(names: Names): boolean {
    for (const name of names) if (this.#count(name) > 0) return true;
    return false;
  }

  #endBefore({ ends, within }: Ending): void {
    if (!this.#isOpen(ends)) return;
    let found = -1;
    const last = this.#furthest;
    for (let at = this.#open.length - 1; at >= last; at--) {
      const one = this.#open[at]?.name ?? '';
      if (within.has(one)) break;
      if (ends.has(one)) found = at;
    }
    if (found !== -1) this.#cut(found);
  }

  #cut(from: number): void {
    while (this.#open.length > from) {
      const { name } = this.#open.pop() as { name: string };
      this.#counts.set(name, this.#count(name) - 1);
    }
  }
}
