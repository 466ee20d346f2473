import type { PageFacts } from './page-facts.ts';

const wordPattern = /[\p{L}\p{N}_]+/gu;
export const wordsOf = (text: string): string[] => text.toLowerCase().match(wordPattern) ?? [];

/** Texts of the page's own structured data that are long enough to be its content, as hashes of five words. */
export function structuredShingles(facts: PageFacts): Set<string> {
  const found = new Set<string>();
  let left = 400_000;
  for (const { value } of facts.things) {
    for (const name of ['articleBody', 'text', 'description', 'reviewBody']) {
      const text = value[name];
      if (typeof text !== 'string' || text.length < 100 || left <= 0) continue;
      left -= text.length;
      const words = wordsOf(text.slice(0, 200_000).replace(/<[^>]{0,500}>/g, ' '));
      for (let i = 0; i + 5 <= words.length; i++) found.add(words.slice(i, i + 5).join(' '));
    }
  }
  return found;
}

export function containment(words: readonly string[], shingles: ReadonlySet<string>): number {
  if (shingles.size === 0 || words.length < 5) return 0;
  let hits = 0;
  const count = words.length - 4;
  for (let i = 0; i < count; i++) if (shingles.has(words.slice(i, i + 5).join(' '))) hits++;
  return hits / count;
}
