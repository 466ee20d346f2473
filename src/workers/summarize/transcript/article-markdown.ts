import { escapeMarkdown, type ArticleSection } from '../write-article.ts';

/** `2:05`, from an hour on `1:02:05`. */
function clockOf(seconds: number): string {
  const whole = Math.floor(seconds);
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
  const rest = String(whole % 60).padStart(2, '0');
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${String(minutes).padStart(2, '0')}:${rest}`;
}

/** By platform, the parameter that its player takes; others have what media fragments (W3C) say. */
const startParameters: Readonly<Record<string, string>> = { youtube: 't', peertube: 'start' };

/** A link to a moment of a video; the moment alone where the platform tells no URL. */
function momentOf({ url, platform }: { url: string; platform: string }, seconds: number): string {
  const link = URL.parse(url);
  if (link === null) return clockOf(seconds);
  const start = `${Math.floor(seconds)}s`;
  const parameter = startParameters[platform];
  if (parameter === undefined) link.hash = `t=${start.slice(0, -1)}`;
  else link.searchParams.set(parameter, start);
  return `[${clockOf(seconds)}](${link.href.replaceAll('(', '%28').replaceAll(')', '%29')})`;
}

const oneLine = (text: string): string => escapeMarkdown(text.replace(/\s+/gu, ' ').trim());

/** An article as one text: its title, and under each heading the moment at which the section begins. */
export function writeArticleMarkdown(
  video: { url: string; platform: string; title: string | null },
  sections: readonly ArticleSection[],
): string {
  const parts = sections.flatMap(({ heading, startSeconds, markdown }) => [
    ...(heading === null ? [] : [`## ${oneLine(heading)}`]),
    ...(startSeconds === null ? [] : [momentOf(video, startSeconds)]),
    markdown,
  ]);
  return `${[...(video.title === null ? [] : [`# ${oneLine(video.title)}`]), ...parts].join('\n\n')}\n`;
}
