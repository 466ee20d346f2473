import { captionTagForm } from '../../../shared/schemas/caption-tag-form.ts';
import type { StoredError } from '../../../shared/errors.ts';
import type {
  CaptionLanguage,
  CaptionSegment,
  VideoComments,
  VideoFormat,
  VideoInfo,
  VideoSearch,
} from '../../../shared/schemas/video.ts';

/** A format with what is needed to fetch it; a client sees `VideoFormat` alone. */
export interface FoundFormat extends VideoFormat {
  url: string | null;
  /** That the server of `url` wants to see, such as `referer`. Lower-case names. */
  headers: Record<string, string>;
  /** The link works from the address only that asked the platform for it. */
  boundToAddress: boolean;
}

export interface CaptionTrack extends CaptionLanguage {
  url: string;
  headers: Record<string, string>;
}

/** `und` where the platform writes none, or something that is no tag. */
export const toCaptionTag = (language: string | null | undefined): string =>
  captionTagForm.test(language ?? '') ? (language as string) : 'und';

/** All that one extraction of a video tells; info, formats, captions, download and frames share it. */
export interface Extraction {
  info: VideoInfo;
  formats: FoundFormat[];
  captions: CaptionTrack[];
  /** Why none are told, where they could not be asked for. */
  captionsFailure?: StoredError;
  /** Of its chapters, likewise. */
  chaptersFailure?: StoredError;
  /** When the links stop working, in milliseconds since the epoch; null where nothing says it. */
  linksExpireAt: number | null;
  /** It is announced only: there is nothing to play yet. */
  upcoming: boolean;
}

export type CommentSort = 'top' | 'new';

/** What a platform has answered to a question, whose later parts may not have come. */
export type Found<T> = T & { isPartial?: boolean };

/** A request to a platform. All that leaves goes by `fetch`, which is bound to the egress door. */
export interface PlatformContext {
  fetch: typeof fetch;
  settings: PlatformSettings;
}

/** What an operator has set for the platforms. */
export interface PlatformSettings {
  /** Origin in place of `https://www.youtube.com`. */
  youtubeUrl: string;
  /** A `Cookie` header of a signed-in browser. */
  youtubeCookies: string | null;
  youtubePoToken: string | null;
  /** Origin of a PeerTube instance or a search index of many. */
  peertubeSearchUrl: string;
}

/**
 * One platform. Every function throws AppError with the codes of the video proxy: `video_not_found`,
 * `video_private`, `platform_blocked`, …
 */
export interface Platform {
  readonly name: string;
  /** @returns null where the site turns out to be of another kind. */
  extract(url: URL, context: PlatformContext): Promise<Extraction | null>;
  /** @returns null where the platform has no comments that can be read. */
  comments?(
    url: URL,
    options: { limit: number; sort: CommentSort },
    context: PlatformContext,
  ): Promise<Found<VideoComments> | null>;
  search?(query: string, limit: number, context: PlatformContext): Promise<Found<VideoSearch>>;
  /** Bytes of captions; without it they are fetched as any URL. */
  readCaptions?(track: CaptionTrack, context: PlatformContext): Promise<CaptionSegment[]>;
}
