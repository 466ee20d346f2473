import type { Protocol } from 'puppeteer-core';
import { detectLanguage } from '../summarize/language.ts';
import type { CollectedPage, PageFacts } from './page-facts.ts';
import { measureReadability } from './readability.ts';

/** A navigation in three words says nothing of the language of a page. */
const fewestWordsForLanguage = 20;

/** Works out what the page's own text tells. */
export function describePage(
  { text, jsonLd, ...collected }: CollectedPage,
  { tlsProtocol, cookies }: { tlsProtocol: string | null; cookies: Protocol.Network.Cookie[] },
): PageFacts {
  const words = text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  const language = words < fewestWordsForLanguage ? null : detectLanguage(text, null);
  return {
    ...collected,
    words,
    language,
    readability: language === null ? null : measureReadability(text, language),
    jsonLd: jsonLd.map(({ text: json, ...place }) => ({ ...place, problem: findJsonProblem(json) })),
    tlsProtocol,
    cookies: cookies.slice(0, 200).map(({ name, domain, secure, httpOnly, sameSite }) => ({
      name,
      domain,
      isSecure: secure,
      isHttpOnly: httpOnly,
      sameSite: sameSite ?? null,
    })),
  };
}

/** @returns why it is no JSON-LD that a search engine can read; null where it is. */
function findJsonProblem(text: string): string | null {
  try {
    const parsed: unknown = JSON.parse(text);
    const entries = Array.isArray(parsed) ? parsed : [parsed];
    const isTyped = (entry: unknown) =>
      typeof entry === 'object' && entry !== null && ('@type' in entry || '@graph' in entry);
    return entries.every(isTyped) ? null : 'an entry has no @type';
  } catch (error) {
    return (error as Error).message.slice(0, 200);
  }
}
