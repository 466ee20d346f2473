import { caption } from '../../../shared/contracts/video/caption.ts';
import { fromStoredError } from '../../../shared/errors.ts';
import { joinText } from '../../../shared/schemas/caption-texts.ts';
import { defineHandler } from '../../handler.ts';
import { chooseTrack } from '../../video/captions/choose-track.ts';
import { requireRecording } from '../../video/require-recording.ts';

export default defineHandler(caption, async ({ url, lang, kind }, job, { videos }) => {
  const look = await videos.look(url, job);
  const { captionsFailure } = look.extraction;
  if (captionsFailure !== undefined) throw fromStoredError(captionsFailure);
  // What is broadcast now or later gets its captions with its recording.
  if (look.extraction.captions.length === 0) requireRecording(look.extraction);
  const track = chooseTrack(look.extraction.captions, { language: lang, kind });
  const segments = await videos.readCaptions(look, track, job);
  return {
    language: track.language,
    kind: track.kind,
    segments,
    text: joinText(segments),
    available: look.extraction.info.captionLanguages,
  };
});
