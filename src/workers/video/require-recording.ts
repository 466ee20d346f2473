import { AppError } from '../../shared/errors.ts';
import type { VideoInfo } from '../../shared/schemas/video.ts';

/** @throws AppError `video_live_unsupported` for what is being broadcast now: it has neither moments nor a file. */
export function requireRecording({ live }: Pick<VideoInfo, 'live'>): void {
  if (!live) return;
  throw new AppError(
    'video_live_unsupported',
    'The video is being broadcast now. Ask again when it has ended.',
  );
}
