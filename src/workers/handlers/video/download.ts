import { videoDownload } from '../../../shared/contracts/video/download.ts';
import { defineHandler } from '../../handler.ts';
import { getFormat } from '../../video/choose-format.ts';
import { probeDownload } from '../../video/probe-download.ts';
import { requireRecording } from '../../video/require-recording.ts';

export default defineHandler(videoDownload, async ({ url, format: wish }, job, { videos, openLease }) => {
  const { extraction } = await videos.extract(url, job);
  requireRecording(extraction);
  const { info, formats, linksExpireAt } = extraction;
  const found = getFormat(formats, wish, info.language);
  await using lease = openLease({ signal: job.signal });
  const probed = await probeDownload(found, info, lease);
  const { url: _url, headers, boundToAddress, ...format } = found;
  return {
    ...probed,
    via: boundToAddress ? ('tunnel' as const) : ('direct' as const),
    format,
    headers,
    linkExpiresAt: linksExpireAt === null ? null : new Date(linksExpireAt).toISOString(),
  };
});
