import { at, countAt, listAt, type Loose, textAt } from '../loose.ts';

/** InnerTube's texts: `{simpleText}`, `{runs: [{text}]}` or `{content}`. */
export function readText(value: Loose, ...path: (string | number)[]): string | null {
  const text = at(value, ...path);
  const runs = listAt(text, 'runs').map((run) => textAt(run, 'text') ?? '');
  const whole = textAt(text, 'simpleText') ?? textAt(text, 'content') ?? runs.join('');
  return whole === '' ? null : whole;
}

export interface Thumbnail {
  url: string;
  width: number | null;
  height: number | null;
}

/** Each address once, the largest last. */
export function readThumbnails(...values: Loose[]): Thumbnail[] {
  const byUrl = new Map<string, Thumbnail>();
  for (const one of values.flatMap((value) => listAt(value, 'thumbnails'))) {
    const url = textAt(one, 'url');
    const [width, height] = [countAt(one, 'width') || null, countAt(one, 'height') || null];
    if (url !== null) byUrl.set(url, { url, width, height });
  }
  return [...byUrl.values()].sort((a, b) => (a.width ?? 0) - (b.width ?? 0));
}

const origin = 'https://www.youtube.com';

export const watchUrl = (id: string): string => `${origin}/watch?v=${id}`;

/** Of the text of an endpoint that leads to a channel. */
export function readChannel(value: Loose): { id: string | null; name: string | null; url: string | null } {
  const endpoint = at(value, 'navigationEndpoint', 'browseEndpoint');
  const id = textAt(endpoint, 'browseId');
  const handle = textAt(endpoint, 'canonicalBaseUrl');
  return { id, name: textAt(value, 'text'), url: channelUrl(id, handle) };
}

export function channelUrl(id: string | null, handle: string | null): string | null {
  if (handle !== null && handle.startsWith('/')) return origin + handle;
  return id === null ? null : `${origin}/channel/${id}`;
}
