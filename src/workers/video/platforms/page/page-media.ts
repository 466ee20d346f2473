import { type DefaultTreeAdapterTypes as Tree, parse } from 'parse5';
import type { VideoChapter } from '../../../../shared/schemas/video.ts';
import { at, countAt, isoDate, listAt, type Loose, secondsAt, textAt } from '../loose.ts';
import { type CaptionTrack, toCaptionTag } from '../platform.ts';

/** What a page says of its video, before anything of it is fetched. */
export interface PageMedia {
  sources: { url: string; type: string | null }[];
  tracks: CaptionTrack[];
  title: string | null;
  description: string | null;
  thumbnail: string | null;
  durationSeconds: number | null;
  publishedAt: string | null;
  author: { name: string; url: string | null } | null;
  views: number | null;
  likes: number | null;
  tags: string[];
  license: string | null;
  language: string | null;
  chapters: VideoChapter[];
  canonical: string | null;
}

/** Of one page. */
const mostTracks = 200;
const mostClips = 500;
/** Characters of a label. */
const longestName = 100;
const maxJsonLdNodes = 2_000;
const mediaType = /^(video|audio)\/|mpegurl|dash\+xml/i;

interface Element {
  tag: string;
  attrs: Map<string, string>;
  node: Tree.Element;
}

/** Every element in the order of the document; nesting costs nothing. */
function* elementsOf(html: string): Generator<Element> {
  const stack: Tree.ChildNode[] = parse(html).childNodes.toReversed();
  while (stack.length > 0) {
    const node = stack.pop();
    if (node === undefined || !('tagName' in node)) continue;
    yield { tag: node.tagName, attrs: new Map(node.attrs.map(({ name, value }) => [name, value])), node };
    for (const child of node.childNodes.toReversed()) stack.push(child);
  }
}

const textOf = (node: Tree.Element): string =>
  node.childNodes
    .map((child) => (child.nodeName === '#text' && 'value' in child ? child.value : ''))
    .join('');

export function readPageMedia(html: string, pageUrl: string): PageMedia {
  let base = pageUrl;
  const meta = new Map<string, string>();
  const sources = new Map<string, string | null>();
  const tracks: CaptionTrack[] = [];
  const jsonLd: Loose[] = [];
  const found = {
    title: null as string | null,
    language: null as string | null,
    poster: null as string | null,
    canonical: null as string | null,
  };
  const resolve = (place: string | undefined): string | null => {
    const url = place === undefined || place.trim() === '' ? null : URL.parse(place.trim(), base);
    return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
  };
  const addSource = (place: string | undefined, type: string | undefined): void => {
    const url = resolve(place);
    if (url !== null && !sources.has(url)) sources.set(url, type ?? null);
  };
  for (const { tag, attrs, node } of elementsOf(html)) {
    if (tag === 'base') base = resolve(attrs.get('href')) ?? base;
    else if (tag === 'html') found.language = attrs.get('lang') ?? null;
    else if (tag === 'title') found.title ??= textOf(node).trim() || null;
    else if (tag === 'meta') {
      const name = (attrs.get('property') ?? attrs.get('name') ?? attrs.get('itemprop') ?? '').toLowerCase();
      if (name !== '' && !meta.has(name)) meta.set(name, attrs.get('content') ?? '');
    } else if (tag === 'link' && attrs.get('rel') === 'canonical')
      found.canonical = resolve(attrs.get('href'));
    else if (tag === 'video' || tag === 'audio') {
      addSource(attrs.get('src'), attrs.get('type'));
      found.poster ??= resolve(attrs.get('poster'));
    } else if (tag === 'source' && isInMedia(node)) addSource(attrs.get('src'), attrs.get('type'));
    else if (tag === 'track') {
      const track = readTrack(attrs, resolve(attrs.get('src')));
      if (track !== null && tracks.length < mostTracks) tracks.push(track);
    } else if (tag === 'script' && /ld\+json/i.test(attrs.get('type') ?? ''))
      jsonLd.push(...readJsonLd(textOf(node)));
  }
  for (const node of jsonLd)
    addSource(textAt(node, 'contentUrl') ?? undefined, textAt(node, 'encodingFormat') ?? undefined);
  const ogType = meta.get('og:video:type');
  for (const name of [
    'og:video:secure_url',
    'og:video:url',
    'og:video',
    'twitter:player:stream',
    'og:audio',
  ]) {
    // What is a page is a player, not a video.
    if (ogType === undefined || mediaType.test(ogType) || name.startsWith('twitter'))
      addSource(meta.get(name), ogType);
  }
  const described = describe(jsonLd, meta);
  return {
    ...described,
    sources: [...sources].map(([url, type]) => ({ url, type })),
    tracks,
    title: described.title ?? found.title,
    thumbnail: resolve(described.thumbnail ?? undefined) ?? found.poster,
    language: described.language ?? found.language,
    canonical: found.canonical ?? resolve(meta.get('og:url')),
  };
}

const isInMedia = (node: Tree.Element): boolean =>
  node.parentNode !== null && 'tagName' in node.parentNode && /^(video|audio)$/.test(node.parentNode.tagName);

function readTrack(attrs: Map<string, string>, url: string | null): CaptionTrack | null {
  const kind = attrs.get('kind') ?? 'subtitles';
  if (url === null || !/^(subtitles|captions)$/i.test(kind)) return null;
  return {
    language: toCaptionTag(attrs.get('srclang')),
    label: attrs.get('label')?.slice(0, longestName) ?? null,
    kind: 'manual',
    url,
    headers: {},
  };
}

/** The VideoObjects among the nodes of a JSON-LD block; broken JSON has none. */
function readJsonLd(text: string): Loose[] {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    return [];
  }
  const found: Loose[] = [];
  const stack: unknown[] = [root];
  for (let visited = 0; stack.length > 0 && visited < maxJsonLdNodes; visited++) {
    const node = stack.pop();
    if (typeof node !== 'object' || node === null) continue;
    const types = [at(node, '@type')].flat();
    if (types.some((type) => type === 'VideoObject' || type === 'AudioObject')) found.push(node);
    stack.push(...Object.values(node).toReversed());
  }
  return found;
}

type Described = Omit<PageMedia, 'sources' | 'tracks' | 'canonical'>;

function describe([video]: Loose[], meta: Map<string, string>): Described {
  const own = (name: string): string | null => meta.get(name)?.trim() || null;
  const durationSeconds =
    readIsoDuration(textAt(video, 'duration')) ??
    readNumber(own('og:video:duration') ?? own('video:duration'));
  const keywords =
    textAt(video, 'keywords')?.split(',') ??
    listAt(video, 'keywords').filter((one) => typeof one === 'string');
  const author = at(video, 'author') ?? at(video, 'publisher');
  const authorName = textAt(author, 'name') ?? textAt(video, 'author') ?? own('author');
  return {
    title: textAt(video, 'name') ?? own('og:title') ?? own('twitter:title'),
    description: textAt(video, 'description') ?? own('og:description') ?? own('description'),
    thumbnail:
      textAt(video, 'thumbnailUrl') ??
      textAt(video, 'thumbnailUrl', 0) ??
      textAt(video, 'thumbnail', 'url') ??
      own('og:image'),
    durationSeconds,
    publishedAt: isoDate(
      at(video, 'uploadDate') ?? at(video, 'datePublished') ?? own('article:published_time') ?? undefined,
    ),
    author: authorName === null ? null : { name: authorName, url: textAt(author, 'url') },
    views: countOf(video, 'WatchAction'),
    likes: countOf(video, 'LikeAction'),
    tags: keywords
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '')
      .slice(0, 100),
    license: textAt(video, 'license'),
    language: textAt(video, 'inLanguage') ?? own('og:locale')?.replace('_', '-') ?? null,
    chapters: readClips(video, durationSeconds),
  };
}

function countOf(video: Loose, action: string): number | null {
  const counters = [at(video, 'interactionStatistic')].flat();
  const counter = counters.find((one) => JSON.stringify(at(one, 'interactionType') ?? '').includes(action));
  return countAt(counter, 'userInteractionCount');
}

/** schema.org's `Clip` parts of a VideoObject. */
function readClips(video: Loose, durationSeconds: number | null): VideoChapter[] {
  const clips = [at(video, 'hasPart')].flat().flatMap((clip) => {
    const [title, startSeconds] = [textAt(clip, 'name'), secondsAt(clip, 'startOffset')];
    if (title === null || startSeconds === null) return [];
    const endSeconds = secondsAt(clip, 'endOffset');
    return [
      {
        title,
        startSeconds,
        endSeconds: endSeconds !== null && endSeconds < startSeconds ? null : endSeconds,
      },
    ];
  });
  const sorted = clips.slice(0, mostClips).sort((a, b) => a.startSeconds - b.startSeconds);
  return sorted.map((clip, index) => ({
    ...clip,
    endSeconds: clip.endSeconds ?? sorted[index + 1]?.startSeconds ?? durationSeconds,
  }));
}

function readNumber(text: string | null): number | null {
  return text !== null && /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : null;
}

/** ISO 8601, such as `PT1H2M3.5S`. */
function readIsoDuration(text: string | null): number | null {
  const match = /^P(?:(\d{1,4})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,6})M)?(?:(\d{1,9}(?:\.\d{1,6})?)S)?)?$/.exec(
    text ?? '',
  );
  if (!match) return null;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((part) => Number(part ?? 0));
  const sum = days * 86_400 + hours * 3_600 + minutes * 60 + seconds;
  return sum > 0 ? sum : null;
}
