import { parseCaptions } from '../../captions/parse-captions.ts';
import { AppError } from '../../../../shared/errors.ts';
import type { VideoInfo } from '../../../../shared/schemas/video.ts';
import {
  ask,
  blocked,
  checkCaptions,
  checkStatus,
  FetchFailed,
  foreignTextOf,
  ofStatus,
  textOf,
} from '../answers.ts';
import type { CaptionTrack, Extraction, FoundFormat, Platform, PlatformContext } from '../platform.ts';
import { type Manifest, readDash, readHls, withoutKeys } from './manifest.ts';
import { type PageMedia, readPageMedia } from './page-media.ts';
import { findParts, readParts } from './segmented-captions.ts';

const maxSources = 8;
const probeMs = 20_000;
const manifestBytes = 4 * 1024 * 1024;

type SourceKind = 'file' | 'hls' | 'dash' | 'html' | 'other';

function kindOf(contentType: string | null, url: string): SourceKind {
  const type = (contentType ?? '').toLowerCase();
  const extension = /\.(\w{2,5})$/.exec(URL.parse(url)?.pathname ?? '')?.[1]?.toLowerCase() ?? '';
  if (/mpegurl/.test(type) || (/^m3u8?$/.test(extension) && !/html/.test(type))) return 'hls';
  if (/dash\+xml/.test(type) || (extension === 'mpd' && !/html/.test(type))) return 'dash';
  if (/^(video|audio)\/|^application\/(mp4|ogg|x-matroska)/.test(type)) return 'file';
  if (/html/.test(type)) return 'html';
  // Servers call such files by many types; what is none after all is seen when its head is read.
  return /^(mp4|m4v|m4a|mov|webm|mkv|mp3|ogg|ogv|oga|opus|wav|flac|ts|aac|avi|flv)$/.test(extension)
    ? 'file'
    : 'other';
}

interface Read {
  formats: FoundFormat[];
  captions: CaptionTrack[];
  durationSeconds: number | null;
  live: boolean;
  title: string | null;
}

function sizeOf(response: Response): number | null {
  const whole = /\/(\d{1,15})$/.exec(response.headers.get('content-range') ?? '')?.[1];
  const length = whole ?? (response.status === 200 ? response.headers.get('content-length') : null) ?? '';
  return /^\d{1,15}$/.test(length) ? Number(length) : null;
}

async function readSource(
  response: Response,
  kind: SourceKind,
  id: string,
  context: PlatformContext,
): Promise<Read> {
  const { url } = response;
  if (kind === 'hls' || kind === 'dash') {
    const text = await textOf(response, manifestBytes);
    const read = kind === 'hls' ? readHls : readDash;
    return { ...(await followManifest(read(text, url, id), context)), title: null };
  }
  const sizeBytes = sizeOf(response);
  await response.body?.cancel().catch(() => undefined);
  if (sizeBytes === 0) throw notMedia('The file is empty.');
  const { probeFile } = await import('./probe.ts');
  const signal = AbortSignal.timeout(probeMs);
  const probed = await probeFile({ url, id, sizeBytes, signal }, context.fetch).catch((error: unknown) => {
    throw signal.aborted
      ? new AppError('target_timeout', 'The head of the file did not come in time.')
      : ofReader(error, url);
  });
  if (probed === null) throw notMedia(noKind);
  const { format, durationSeconds, title } = probed;
  return { formats: [format], captions: [], durationSeconds, live: false, title };
}

const noKind = 'The file is of no kind of video or sound that is known here, or is damaged.';

/** Why the file could not be read: its server, or itself. */
function ofReader(error: unknown, url: string): Error {
  if (error instanceof AppError || error instanceof FetchFailed) return error;
  const message = error instanceof Error ? error.message : '';
  const status = /^Error fetching .*: (\d{3})\b/.exec(message)?.[1];
  if (status !== undefined) return ofStatus(Number(status), 'The site');
  // What `fetch` throws where a connection breaks off.
  if (error instanceof TypeError && /^(?:terminated|fetch failed)$/.test(message))
    return new FetchFailed(url, error);
  return notMedia(noKind, error);
}

/** What a list of variants does not say, its first variant does. */
async function followManifest(manifest: Manifest, { fetch: fetchIt }: PlatformContext): Promise<Manifest> {
  if (manifest.next === null) return manifest;
  const response = await ask(fetchIt, manifest.next);
  if (!response.ok) {
    await response.body?.cancel().catch(() => undefined);
    return manifest;
  }
  const first = readHls(await textOf(response, manifestBytes), response.url, 'next');
  const { durationSeconds, live, encrypted } = first;
  return { ...(encrypted ? withoutKeys(manifest) : manifest), durationSeconds, live };
}

function notMedia(detail: string, cause?: unknown): AppError {
  return new AppError('unsupported_content', detail, { cause });
}

/** Asks for a part only: who serves no parts answers with all, of which the head is read. */
async function askForMedia(url: string, { fetch: fetchIt }: PlatformContext): Promise<Response> {
  return await ask(fetchIt, url, { headers: { accept: '*/*', 'accept-encoding': 'identity' } });
}

async function extract(url: URL, context: PlatformContext): Promise<Extraction> {
  const response = await askForMedia(url.href, context);
  checkStatus(response, 'The site');
  const kind = kindOf(response.headers.get('content-type'), response.url);
  if (kind === 'html') {
    return await extractPage(await foreignTextOf(response, 'html'), response.url, context);
  }
  if (kind === 'other') {
    await response.body?.cancel().catch(() => undefined);
    throw unsupported('what it serves is neither a web page nor a video.');
  }
  const read = await readSource(response, kind, kind === 'file' ? 'file' : kind, context);
  const name = decodeURIComponentSafely(URL.parse(response.url)?.pathname.split('/').at(-1) ?? '');
  return toExtraction(response.url, read, { ...nothingSaid, title: read.title ?? (name || null) });
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function unsupported(why: string): AppError {
  return new AppError('platform_unsupported', `No video was found at this URL: ${why}`);
}

async function extractPage(html: string, pageUrl: string, context: PlatformContext): Promise<Extraction> {
  const page = readPageMedia(html, pageUrl);
  if (page.sources.length === 0)
    throw unsupported('the page names none in a form that is open to everybody.');
  const reads: Read[] = [];
  let failure: unknown = null;
  for (const [index, { url, type }] of page.sources.slice(0, maxSources).entries()) {
    try {
      const response = await askForMedia(url, context);
      checkStatus(response, 'The site');
      const told = kindOf(response.headers.get('content-type'), response.url);
      const kind = told === 'other' || told === 'html' ? kindOf(type, response.url) : told;
      reads.push(await readSource(response, kind, String(index + 1), context));
    } catch (error) {
      failure ??= error;
    }
  }
  const live = reads.some((read) => read.live);
  // A page whose videos cannot be had is no success without formats.
  if (reads.length === 0)
    throw failure instanceof FetchFailed || failure instanceof AppError
      ? failure
      : unsupported('none that it names can be read.');
  const durationSeconds =
    reads.find((read) => read.durationSeconds !== null)?.durationSeconds ?? page.durationSeconds;
  const whole = {
    formats: reads.flatMap(({ formats }) => formats),
    captions: [...page.tracks, ...reads.flatMap(({ captions }) => captions)],
    durationSeconds,
    live,
    title: page.title,
  };
  return toExtraction(pageUrl, whole, page);
}

const nothingSaid: Omit<PageMedia, 'sources' | 'tracks'> = {
  title: null,
  description: null,
  thumbnail: null,
  durationSeconds: null,
  publishedAt: null,
  author: null,
  views: null,
  likes: null,
  tags: [],
  license: null,
  language: null,
  chapters: [],
  canonical: null,
};

function toExtraction(url: string, read: Read, page: Omit<PageMedia, 'sources' | 'tracks'>): Extraction {
  const { author, thumbnail } = page;
  const info: VideoInfo = {
    id: url,
    platform: 'page',
    url: page.canonical ?? url,
    title: page.title,
    description: page.description,
    durationSeconds: read.live ? null : read.durationSeconds,
    publishedAt: page.publishedAt,
    thumbnail,
    thumbnails: thumbnail === null ? [] : [{ url: thumbnail, width: null, height: null }],
    channel: author === null ? null : { id: null, name: author.name, url: author.url, followers: null },
    stats: { views: page.views, likes: page.likes, comments: null },
    tags: page.tags,
    categories: [],
    language: page.language,
    license: page.license,
    chapters: page.chapters,
    live: read.live,
    unlisted: null,
    ageLimit: null,
    captionLanguages: read.captions.map(({ language, label, kind }) => ({ language, label, kind })),
  };
  return { info, formats: read.formats, captions: read.captions, linksExpireAt: null, upcoming: false };
}

export const page: Platform = {
  name: 'page',
  extract,
  async readCaptions(track, { fetch: fetchIt }) {
    const response = await ask(fetchIt, track.url);
    checkCaptions(response, 'The site');
    const text = await foreignTextOf(response, 'text');
    if (text.trim() === '') throw blocked('The site answered with empty captions.');
    const parts = findParts(text, response.url, track);
    if (parts !== null) return await readParts(parts, fetchIt);
    return await parseCaptions(text, response.headers.get('content-type'));
  },
};
