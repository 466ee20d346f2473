import { caption } from '../../../shared/contracts/video/caption.ts';
import { info as infoOperation } from '../../../shared/contracts/video/info.ts';
import { AppError } from '../../../shared/errors.ts';
import type { CaptionLanguage, VideoInfo } from '../../../shared/schemas/video.ts';
import type { JobContext } from '../../handler.ts';
import type { SummaryDocument, TextBlock } from '../document.ts';
import type { MeasuredText } from '../measure-text.ts';
import type { TextWork } from '../text-work.ts';
import { chooseCaptions } from './choose-captions.ts';

export interface Transcript {
  info: VideoInfo;
  /** The captions that it was made of. */
  source: CaptionLanguage;
  /** Its blocks are sentences, each with the moment at which it begins. */
  document: SummaryDocument;
  /** The captions themselves, for looking quotes up. */
  cues: TextBlock[];
  measured: MeasuredText;
}

/**
 * What is said in a video, by its captions.
 * @param language of the captions; null: what is spoken.
 * @throws AppError `captions_unavailable`, and as `video.info` and `video.caption`.
 */
export async function readTranscript(
  { url, language }: { url: string; language: string | null },
  job: JobContext,
  work: TextWork,
): Promise<Transcript> {
  const info = await job.call(infoOperation, { url });
  const wish = chooseCaptions(info, language);
  const { segments, available, ...read } = await job.call(caption, { url, ...wish });
  const measured = await work.measure({
    blocks: segments.map(({ text }) => ({ text })),
    declaredLanguage: read.language,
  });
  const chapterStarts = info.chapters.map(({ startSeconds }) => startSeconds);
  const { sentences, cues } = await work.restore({ segments, chapterStarts, language: measured.language });
  if (sentences.length === 0)
    throw new AppError('captions_unavailable', 'Nothing is said in the captions of the video.', {
      extensions: { available },
    });
  const source = available.find((one) => one.language === read.language && one.kind === read.kind);
  return {
    info,
    source: { language: read.language, label: source?.label ?? null, kind: read.kind },
    document: { title: info.title, language: measured.language, blocks: sentences },
    cues,
    measured,
  };
}
