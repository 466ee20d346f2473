import type { StoredError } from '../../../shared/errors.ts';
import type { CaptionSegment, VideoComments, VideoSearch } from '../../../shared/schemas/video.ts';
import type {
  CaptionTrack,
  CommentSort,
  Extraction,
  Found,
  PlatformSettings,
} from '../platforms/platform.ts';

/** What the extractor's process is asked, on its standard input. */
export type ExtractorTask =
  | { task: 'extract'; platform: string; url: string }
  | { task: 'captions'; platform: string; track: CaptionTrack }
  | { task: 'comments'; platform: string; url: string; limit: number; sort: CommentSort }
  | { task: 'search'; platform: string; query: string; limit: number }
  /** What yt-dlp has printed, in our shape. */
  | { task: 'read-yt-dlp'; json: string };

export interface ExtractorResults {
  extract: Extraction | null;
  captions: CaptionSegment[];
  comments: Found<VideoComments> | null;
  search: Found<VideoSearch>;
  'read-yt-dlp': Extraction;
}

export type ExtractorRequest = ExtractorTask & { settings: PlatformSettings };

/** What it answers on its standard output. */
export type ExtractorAnswer =
  | { ok: true; value: unknown }
  | { ok: false; error: StoredError }
  /** A request got no answer; the egress door knows why. */
  | { ok: false; unanswered: string };
