import { detectAll } from 'tinyld';

/** More tells nothing new, and costs time. */
const sampleLength = 4_000;
const shortestSample = 20;

/** What a page declares, e.g. `de-AT`, `ja_JP`. @returns ISO 639-1 or null. */
function toLanguageCode(declared: string | null | undefined): string | null {
  const code = /^\s*([a-z]{2})(?:[-_]|\s*$)/i.exec(declared ?? '')?.[1];
  return code?.toLowerCase() ?? null;
}

/**
 * The language of a text.
 * @param declared what the page says of itself; taken where the text is too short to tell.
 * @returns ISO 639-1; null where nothing tells.
 */
export function detectLanguage(text: string, declared: string | null): string | null {
  const sample = text.slice(0, sampleLength);
  const [best] = sample.trim().length < shortestSample ? [] : detectAll(sample);
  return best?.lang ?? toLanguageCode(declared);
}
