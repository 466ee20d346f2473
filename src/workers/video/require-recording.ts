import { AppError } from '../../shared/errors.ts';
import type { Extraction } from './platforms/platform.ts';

/** @throws AppError `video_live_unsupported` for what is broadcast now or later: it has neither moments nor a file. */
export function requireRecording({ info, upcoming }: Pick<Extraction, 'info' | 'upcoming'>): void {
  if (!info.live && !upcoming) return;
  throw new AppError(
    'video_live_unsupported',
    info.live
      ? 'The video is being broadcast now. Ask again when it has ended.'
      : 'The video is announced only. Ask again when there is a recording.',
  );
}
