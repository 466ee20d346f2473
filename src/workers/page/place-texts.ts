import { isHidden, PageRegion } from './page-region.ts';
import { scanHtml } from './scan-html.ts';
import type { Write } from './script-effects.ts';
import { SilentElements } from './silent-elements.ts';

/** Text of so few characters is what a script replaces: a dash, a zero, "Loading…". */
const stopgapText = 20;
const silentElements = ['script', 'style', 'noscript', 'template', 'title', 'svg', 'iframe'];
/** Nested places that are measured at a time. */
const maxOpen = 20;
const simple = /(?:^|[\s>+~]|^[a-z][a-z0-9-]*)([#.])([\w-]+)$/i;
const wholePage = /^(body|main|article|html|documentElement)$/;

/** How much text stands in the places of a page that its scripts write to. */
export class PlaceTexts {
  readonly #html: string;

  constructor(html: string) {
    this.#html = html;
  }

  /** Whether one of the writes brings content that is not there: into a place that is as good as empty, or beside what is. */
  wouldChange(writes: readonly Write[]): boolean {
    if (writes.length === 0) return false;
    const places = new Set(writes.flatMap(({ place }) => keyOf(place) ?? []));
    const lengths = this.#measure(places);
    return writes.some(({ place, replaces }) => {
      const key = keyOf(place);
      if (key === null) return place !== null && wholePage.test(place);
      // A place that the page does not have is one that another script makes, or none at all.
      const length = lengths.get(key);
      return length !== undefined && (!replaces || length < stopgapText);
    });
  }

  /** @returns by `#id` and `.class`, the text in the first element of it. */
  #measure(places: ReadonlySet<string>): Map<string, number> {
    const lengths = new Map<string, number>();
    const silent = new SilentElements(silentElements);
    const region = new PageRegion();
    let open: { key: string; name: string; depth: number }[] = [];
    scanHtml(this.#html, {
      onStartTag(name, attributes) {
        if (silent.start(name, attributes) || silent.inside !== null) return;
        const isAround = region.isAround || isHidden(attributes);
        region.start(name, attributes);
        for (const one of open) if (one.name === name) one.depth++;
        if (isAround) return;
        const keys = [attributes.get('id') ?? '']
          .map((id) => `#${id}`)
          .concat((attributes.get('class') ?? '').split(/\s+/, 30).map((one) => `.${one}`));
        for (const key of keys) {
          if (!places.has(key) || lengths.has(key) || open.length >= maxOpen) continue;
          lengths.set(key, 0);
          open.push({ key, name, depth: 1 });
        }
      },
      onText(text) {
        if (silent.inside !== null || open.length === 0) return;
        const length = text.trim().length;
        for (const { key } of open) lengths.set(key, (lengths.get(key) ?? 0) + length);
      },
      onEndTag(name) {
        if (silent.end(name) || silent.inside !== null) return;
        region.end(name);
        for (const one of open) if (one.name === name) one.depth--;
        open = open.filter(({ depth }) => depth > 0);
      },
    });
    return lengths;
  }
}

function keyOf(place: string | null): string | null {
  const match = simple.exec(place?.trim() ?? '');
  return match === null ? null : `${match[1]}${match[2]}`;
}
