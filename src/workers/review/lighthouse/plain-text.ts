/** Lighthouse's texts hold markdown: code in backticks, and links, of which the last one explains the audit. */
export function plain(markdown: string): { text: string; link: string | null } {
  const links = [...markdown.matchAll(/\[([^[\]]{1,200})\]\((https:\/\/[^()\s]{1,500})\)/g)];
  const link = links.at(-1)?.[2] ?? null;
  const sentence = /\s*\[Learn[^[\]]{0,200}\]\([^()]{0,500}\)\.?/g;
  const text = markdown
    .replaceAll(sentence, '')
    .replaceAll(/\[([^[\]]{1,200})\]\([^()\s]{1,500}\)/g, '$1')
    .replaceAll('`', '')
    .trim();
  return { text, link };
}
