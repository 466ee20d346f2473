import type { Protocol } from 'puppeteer-core';
import { countWords } from '../extract/content-text.ts';
import { recognizeLanguage } from '../extract/text-language.ts';
import type { CollectedPage, PageFacts } from './page-facts.ts';
import { measureReadability } from './readability.ts';

/** A navigation in three words says nothing of the language of a page. */
const fewestWordsForLanguage = 20;

/** Works out what the page's own text tells. */
export function describePage(
  { text, jsonLd, ...collected }: CollectedPage,
  {
    cookies,
    ...heard
  }: Pick<PageFacts, 'tlsProtocol' | 'plainRequests'> & { cookies: Protocol.Network.Cookie[] },
): PageFacts {
  const words = countWords(text);
  const isEnough = words >= fewestWordsForLanguage;
  const language = isEnough ? recognizeLanguage(text, collected.textLang) : null;
  return {
    ...collected,
    words,
    language,
    readability: language === null ? null : measureReadability(text, language),
    jsonLd: jsonLd.flatMap(({ text: json, ...place }) =>
      json === null ? [] : [{ ...place, problem: findJsonProblem(json) }],
    ),
    ...heard,
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
    if (entries.length === 0) return 'it is empty';
    return entries.map((entry) => findEntryProblem(entry)).find((problem) => problem !== null) ?? null;
  } catch (error) {
    return (error as Error).message.slice(0, 200);
  }
}

function findEntryProblem(entry: unknown): string | null {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return 'an entry is no object';
  if (!('@context' in entry)) return 'an entry has no @context';
  const graph = '@graph' in entry && Array.isArray(entry['@graph']) ? (entry['@graph'] as unknown[]) : null;
  const isTyped = (node: unknown) =>
    typeof node === 'object' && node !== null && '@type' in node && !isBlank(node['@type']);
  // A node of a graph may only add to one that is typed elsewhere.
  const isRead = graph === null ? isTyped('@graph' in entry ? entry['@graph'] : entry) : graph.some(isTyped);
  return isRead || graph?.length === 0 ? null : 'an entry has no @type';
}

const isBlank = (type: unknown) =>
  Array.isArray(type) ? type.length === 0 : typeof type !== 'string' || type.trim() === '';
