import { z } from 'zod';

const seconds = z.number().min(0);
const count = z.int().min(0).nullable();

const videoChapter = z.object({
  title: z.string(),
  startSeconds: seconds,
  endSeconds: seconds.nullable().describe('Null for the last one if the length of the video is not known.'),
});
export type VideoChapter = z.output<typeof videoChapter>;

export const captionKinds = ['manual', 'auto'] as const;

export const captionLanguage = z.object({
  language: z.string().describe('BCP 47, as the platform writes it, e.g. `en` or `pt-BR`.'),
  label: z.string().nullable().describe("The platform's own name for it."),
  kind: z.enum(captionKinds).describe('`auto`: made by speech recognition.'),
});
export type CaptionLanguage = z.output<typeof captionLanguage>;

export const videoInfo = z.object({
  id: z.string().describe('The id on the platform; for a plain page or file, its URL.'),
  platform: z.string().describe('`youtube`, `peertube`, `page`, or the name by which yt-dlp knows the site.'),
  url: z.string().describe('Canonical URL of the video.'),
  title: z.string().nullable(),
  description: z.string().nullable(),
  durationSeconds: seconds.nullable().describe('Null for a live stream, and when it is not known.'),
  publishedAt: z.iso.datetime({ offset: true }).nullable(),
  thumbnail: z.string().nullable().describe('URL of the largest one.'),
  thumbnails: z.array(z.object({ url: z.string(), width: count, height: count })),
  channel: z
    .object({
      id: z.string().nullable(),
      name: z.string().nullable(),
      url: z.string().nullable(),
      followers: count.describe('As the platform shows it, which may be rounded (2.14M).'),
    })
    .nullable(),
  stats: z
    .object({ views: count, likes: count, comments: count })
    .describe('As the platform shows them; a number of comments may be rounded (1.1K).'),
  tags: z.array(z.string()),
  categories: z.array(z.string()),
  language: z.string().nullable().describe('The language that is spoken, if the platform says so.'),
  license: z.string().nullable().describe('In the words of the platform; null if it names none.'),
  chapters: z.array(videoChapter),
  live: z.boolean().describe('True while it is being broadcast.'),
  unlisted: z
    .boolean()
    .nullable()
    .describe('True if anybody with the link may see it, but no search finds it.'),
  ageLimit: z.int().nullable().describe('In years; 0 for everybody, null when the platform does not say.'),
  captionLanguages: z.array(captionLanguage),
});
export type VideoInfo = z.output<typeof videoInfo>;

const formatKinds = ['video', 'audio', 'muxed'] as const;

export const videoFormat = z.object({
  id: z.string().describe('The value for `format` of the download.'),
  kind: z.enum(formatKinds).describe('`muxed`: picture and sound in one file.'),
  container: z.string().nullable().describe('E.g. `mp4`, `webm`, `hls`.'),
  width: z.int().nullable(),
  height: z.int().nullable(),
  fps: z.number().nullable(),
  videoCodec: z.string().nullable(),
  audioCodec: z.string().nullable(),
  bitrateKbps: z.number().nullable(),
  sizeBytes: z.int().nullable(),
  sizeIsEstimate: z.boolean().describe('True if `sizeBytes` was computed from bit rate and duration.'),
  hdr: z.boolean().nullable(),
  language: z.string().nullable().describe('Language of the sound.'),
  protocol: z.enum(['http', 'https', 'hls', 'dash', 'other']),
  downloadable: z.boolean(),
  reason: z.string().nullable().describe('Why it cannot be downloaded.'),
});
export type VideoFormat = z.output<typeof videoFormat>;

export const captionSegment = z.object({
  startSeconds: seconds,
  durationSeconds: seconds,
  text: z.string(),
});
export type CaptionSegment = z.output<typeof captionSegment>;

const videoComment = z.object({
  id: z.string(),
  parentId: z.string().nullable().describe('The comment that this one replies to.'),
  author: z.object({ id: z.string().nullable(), name: z.string().nullable(), url: z.string().nullable() }),
  text: z.string(),
  likes: count.describe('Null if the platform does not say; may be rounded (1.2K).'),
  publishedAt: z.iso.datetime({ offset: true }).nullable().describe('Null if the platform gives no date.'),
  publishedText: z
    .string()
    .nullable()
    .describe('The words of the platform if it gives no date: `4 years ago`.'),
  pinned: z.boolean(),
  byUploader: z.boolean(),
});
export type VideoComment = z.output<typeof videoComment>;

export const videoComments = z.object({
  total: count.describe('Comments on the video, with replies if the platform counts them.'),
  disabled: z.boolean(),
  comments: z.array(videoComment),
});
export type VideoComments = z.output<typeof videoComments>;

const foundVideo = z.object({
  id: z.string(),
  url: z.string(),
  title: z.string().nullable(),
  durationSeconds: seconds.nullable(),
  thumbnail: z.string().nullable(),
  channel: z
    .object({ id: z.string().nullable(), name: z.string().nullable(), url: z.string().nullable() })
    .nullable(),
  views: count,
  publishedAt: z.iso.datetime({ offset: true }).nullable().describe('Null if the platform gives no date.'),
  publishedText: z
    .string()
    .nullable()
    .describe('The words of the platform if it gives no date: `5 days ago`.'),
  live: z.boolean(),
});
export type FoundVideo = z.output<typeof foundVideo>;

export const videoSearch = z.object({
  query: z.string(),
  correctedQuery: z
    .string()
    .nullable()
    .describe('What the platform searched for instead of a likely typing error.'),
  platform: z.string(),
  items: z.array(foundVideo),
});
export type VideoSearch = z.output<typeof videoSearch>;
