import { videoDownload } from '../../../shared/contracts/video/download.ts';
import { definePresenter } from '../../presenter.ts';

const tunnelMs = 6 * 3_600_000;

export default definePresenter(videoDownload, ({ row, output, tunnelLink }) => {
  if (output === null) throw new Error('A download is shown once it is there');
  const { mediaUrl, headers, linkExpiresAt, ...download } = output;
  if (download.via === 'direct') {
    const needed = Object.keys(headers).length === 0 ? {} : { headers };
    return { url: mediaUrl, ...download, expiresAt: linkExpiresAt, ...needed };
  }
  // No longer than what it leads to, and than the job.
  const ends = [linkExpiresAt, row.expires_at].map((end) =>
    end === null ? Infinity : new Date(end).getTime(),
  );
  const expiresAt = new Date(Math.min(...ends, (row.finished_at ?? row.created_at).getTime() + tunnelMs));
  return { url: tunnelLink(expiresAt), ...download, expiresAt: expiresAt.toISOString() };
});
