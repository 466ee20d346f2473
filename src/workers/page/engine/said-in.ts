import { scanHtml } from '../html/scan-html.ts';
import { UnseenElements } from '../html/unseen-elements.ts';

/** Stands in a text for what a script does not say plainly. */
export const unknown = '\uFFFC';

const unseenElements = ['script', 'style', 'noscript', 'template', 'svg', 'plaintext'];
const inPage = /^\s*($|#|javascript:)/i;
/** A way elsewhere by a few words: "Log in", "Register". Characters. */
const longestLink = 20;
const says = new RegExp(`[\\p{L}\\p{N}\\p{Sc}${unknown}]`, 'u');

/**
 * What markup that a script writes says: not what only acts within the page ("Hide the comments"), nor where a short link
 * leads.
 *
 * @returns its text; empty where that has neither words, numbers nor what is unknown.
 */
export function saidIn(markup: string): string {
  if (!markup.includes('<') && !markup.includes('&')) return says.test(markup) ? markup.trim() : '';
  const unseen = new UnseenElements(unseenElements);
  let said = '';
  let link: { name: string; acts: boolean; text: string } | null = null;
  scanHtml(markup, {
    onStartTag(name, attributes) {
      if (unseen.start(name, attributes) || unseen.inside !== null || link !== null) return;
      const acts =
        name === 'button' || attributes.has('onclick') || inPage.test(attributes.get('href') ?? '?');
      if (name === 'a' || (acts && /^(button|span)$/.test(name))) link = { name, acts, text: '' };
    },
    onText(text) {
      if (unseen.inside !== null) return;
      if (link === null) said += text;
      else link.text += text;
    },
    onEndTag(name) {
      unseen.end(name);
      if (link?.name !== name) return;
      const isLabel = !link.text.includes(unknown) && (link.acts || link.text.trim().length <= longestLink);
      if (!isLabel) said += link.text;
      link = null;
    },
  });
  const { text } = link ?? { text: '' };
  return says.test(said + text) ? (said + text).trim() : '';
}
