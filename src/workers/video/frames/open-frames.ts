import type { EgressLease, EgressLeaseOptions } from '../../../shared/egress/types.ts';
import type { Reaper } from '../../processes/reaper.ts';
import { getFrameFormat } from '../choose-format.ts';
import type { Extraction } from '../platforms/platform.ts';
import { requireRecording } from '../require-recording.ts';
import type { FrameSource, FrameTools } from './capture-frame.ts';
import { createWholeFile } from './whole-file.ts';

/** A video that frames can be taken from, with the way out that they come by. */
export interface OpenFrames extends FrameSource, AsyncDisposable {
  tools: FrameTools;
}

export interface FrameOpener {
  /** @param width of the frames that are wanted; null: as large as is sensible. */
  open(extraction: Extraction, width: number | null, signal: AbortSignal): Promise<OpenFrames>;
}

export interface FrameOpenerOptions {
  openLease(options: EgressLeaseOptions): EgressLease;
  reaper: Reaper;
  /** Path of the program. @throws AppError `not_configured` */
  ffmpeg(): Promise<string>;
}

const byteBudget = 1024 * 1024 * 1024;

export function createFrameOpener({ openLease, reaper, ffmpeg }: FrameOpenerOptions): FrameOpener {
  return {
    async open(extraction, width, signal) {
      requireRecording(extraction);
      const { info, formats } = extraction;
      const { url, headers, fps } = getFrameFormat(formats, width);
      const path = await ffmpeg();
      const lease = openLease({ signal, byteBudget });
      const file = createWholeFile({ url, headers, program: path, lease, reaper, signal });
      return {
        url,
        headers,
        fps,
        durationSeconds: info.durationSeconds,
        file,
        tools: { ffmpeg: path, lease, reaper, signal },
        async [Symbol.asyncDispose]() {
          await lease[Symbol.asyncDispose]();
          await file[Symbol.asyncDispose]();
        },
      };
    },
  };
}
