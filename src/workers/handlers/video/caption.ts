import { caption } from '../../../shared/contracts/video/caption.ts';
import { fromStoredError } from '../../../shared/errors.ts';
import { joinText } from '../../../shared/schemas/caption-texts.ts';
import { defineHandler } from '../../handler.ts';
import { chooseTrack } from '../../video/captions/choose-track.ts';
import { requireRecording } from '../../video/require-recording.ts';

export default defineHandler(caption, async ({ url, lang, kind }, job, { videos }) => {
  const extracted = await videos.extract(url, job);
  const { captionsFailure } = extracted.extraction;
  if (captionsFailure !== undefined) throw fromStoredError(captionsFailure);
  // What is broadcast now or later gets its captions with its recording.
  if (extracted.extraction.captions.length === 0) requireRecording(extracted.extraction);
  const track = chooseTrack(extracted.extraction.captions, { language: lang, kind });
  const segments = await videos.readCaptions(extracted, track, job);
  return {
    language: track.language,
    kind: track.kind,
    segments,
    text: joinText(segments),
    available: extracted.extraction.info.captionLanguages,
  };
});
