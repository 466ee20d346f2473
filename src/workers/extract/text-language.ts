import { detectAll } from 'tinyld';

/** More tells nothing new, and costs time. */
const sampleLength = 4_000;
const shortestSample = 20;

/** What a page declares, e.g. `de-AT`, `ja_JP`. @returns ISO 639-1 or null. */
function toLanguageCode(declared: string | null | undefined): string | null {
  const code = /^\s*([a-z]{2})(?:[-_]|\s*$)/i.exec(declared ?? '')?.[1];
  return code?.toLowerCase() ?? null;
}

/** Below it the best is a guess: lists of names and figures have up to 0.3, prose from 0.4 on. */
const surely = 0.35;
const timesTheDeclared = 2;

/** @returns null where the text is too short; `isSure` is false for a guess that speaks against what is declared. */
function weigh(text: string, declared: string | null): { language: string; isSure: boolean } | null {
  const [best, ...others] = text.trim().length < shortestSample ? [] : detectAll(text);
  if (best === undefined) return null;
  const ofDeclared = others.find(({ lang }) => lang === declared)?.accuracy ?? 0;
  const isSure = best.accuracy >= surely && best.accuracy >= timesTheDeclared * ofDeclared;
  return { language: best.lang, isSure: isSure || best.lang === declared };
}

/**
 * The language of a text.
 * @param declared what the page says of itself; taken where the text does not tell clearly.
 * @returns ISO 639-1; null where nothing tells.
 */
export function detectLanguage(text: string, declared: string | null): string | null {
  const sure = recognizeLanguage(text, declared) ?? toLanguageCode(declared);
  return sure ?? weigh(text.slice(0, sampleLength), null)?.language ?? null;
}

/**
 * The language of a text that is sure of it: one word that is known of one language only may decide for a whole text, so
 * both halves must say the same.
 * @param declared as in `detectLanguage`; what it says needs no certainty.
 * @returns ISO 639-1; null where it is not sure.
 */
export function recognizeLanguage(text: string, declared: string | null): string | null {
  const sample = text.slice(0, sampleLength);
  const code = toLanguageCode(declared);
  const middle = sample.length / 2;
  const best = weigh(sample, code);
  const halves = [sample.slice(0, middle), sample.slice(middle)].map((half) => weigh(half, code)?.language);
  if (best === null || !best.isSure) return null;
  return best.language === code || halves.every((language) => language === best.language)
    ? best.language
    : null;
}
