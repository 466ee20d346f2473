import { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import { targetErrors } from './page-errors.ts';
import { targetUrl } from './page-options.ts';

/** How reading a video's platform can fail. */
export const platformErrors = [
  ...targetErrors,
  'platform_unsupported',
  'platform_blocked',
  'video_not_found',
  'video_private',
  'video_age_restricted',
  'video_geo_blocked',
  'video_live_unsupported',
  'unsupported_content',
  'too_many_redirects',
  'upstream_failed',
  'not_configured',
] as const satisfies readonly ErrorCode[];

export const videoUrl = targetUrl.describe(
  'Absolute http or https URL of a video on YouTube, on any PeerTube or on a page with an open video, or of a media file, HLS or DASH. With yt-dlp installed, any site that it supports.',
);

export const frameFormat = z.enum(['png', 'jpeg', 'webp']).default('png').describe('Format of the picture.');

/** One extraction by each engine, and the wait for a slot. */
export const extractionMs = 120_000;
/** An extraction, and the frames of one video. */
export const framesMs = 300_000;
