import { scanHtml } from '../html/scan-html.ts';
import { UnseenElements } from '../html/unseen-elements.ts';

/** Stands in a text for what a script does not say plainly. */
export const unknown = '\uFFFC';

const unseenElements = ['script', 'style', 'noscript', 'template', 'svg', 'plaintext'];
/** A way elsewhere, or what acts here, by a few words: "Log in", "Hide the comments". Characters. */
const longestLink = 20;
/** More of them are a list. */
const mostLinks = 2;
/** How somebody is reached, an amount, a number. */
const tellsMore = /[\p{N}\p{Sc}@]/u;
const reaches = /^\s*(tel|mailto):/i;
const says = new RegExp(`[\\p{L}\\p{N}\\p{Sc}\\p{So}${unknown}]`, 'u');
const marks = /[©®™]/g;

/**
 * What markup that a script writes says, without a link or two and what acts within the page by a few words.
 *
 * @returns its text; empty where that has neither words, numbers nor what is unknown.
 */
export function saidIn(markup: string): string {
  if (!markup.includes('<') && !markup.includes('&')) return readable(markup);
  const unseen = new UnseenElements(unseenElements);
  let said = '';
  let links = 0;
  let link: { name: string; text: string } | null = null;
  scanHtml(markup, {
    onStartTag(name, attributes) {
      if (unseen.start(name, attributes) || unseen.inside !== null || link !== null) return;
      if (reaches.test(attributes.get('href') ?? '')) return;
      const acts = name === 'button' || (name === 'span' && attributes.has('onclick'));
      if (name === 'a' || acts) link = { name, text: '' };
    },
    onText(text) {
      if (unseen.inside !== null) return;
      if (link === null) said += text;
      else link.text += text;
    },
    onEndTag(name) {
      unseen.end(name);
      if (link?.name !== name) return;
      const isLabel =
        link.text.trim().length <= longestLink && !link.text.includes(unknown) && !tellsMore.test(link.text);
      if (!isLabel || ++links > mostLinks) said += link.text;
      link = null;
    },
  });
  const { text } = link ?? { text: '' };
  return readable(said + text);
}

const readable = (text: string): string => (says.test(text.replace(marks, '')) ? text.trim() : '');
