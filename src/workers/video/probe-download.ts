import { AppError } from '../../shared/errors.ts';
import type { EgressLease } from '../../shared/egress/types.ts';
import type { VideoInfo } from '../../shared/schemas/video.ts';
import type { FoundFormat } from './platforms/platform.ts';

export interface ProbedDownload {
  mediaUrl: string;
  filename: string;
  contentType: string | null;
  sizeBytes: number | null;
}

/**
 * Asks for the first byte, so that what is handed out is a link that works, and one that may be asked.
 * @throws AppError `platform_blocked`, `video_not_found`, and the lease's own.
 */
export async function probeDownload(
  format: FoundFormat,
  info: VideoInfo,
  lease: EgressLease,
): Promise<ProbedDownload> {
  const { url: mediaUrl } = format;
  if (mediaUrl === null) throw new AppError('unsupported_content', `The format ${format.id} has no link.`);
  const { status, headers, body } = await lease.fetch({
    url: mediaUrl,
    originHeaders: format.headers,
    headers: { range: 'bytes=0-0', 'accept-encoding': 'identity' },
    readBody: (head) => isHtml(head),
    maxBodyBytes: 1_024,
    cutsBody: true,
  });
  if (status === 404 || status === 410)
    throw new AppError('video_not_found', 'The file of the video is gone.');
  if (status >= 400)
    throw new AppError(
      'platform_blocked',
      `The server of the file answered ${status}, so the link would not work.`,
    );
  // Some servers call their media so too, none of which begins like a page; manifests of DASH do.
  if (
    isHtml({ headers }) &&
    format.protocol !== 'dash' &&
    body.toString('latin1').trimStart().startsWith('<')
  )
    throw new AppError('platform_blocked', 'The server answered with a web page where the file was asked.');
  const told =
    /\/(\d{1,15})$/.exec(headers['content-range'] ?? '')?.[1] ??
    (status === 200 ? headers['content-length'] : undefined);
  const isFile = format.protocol === 'http' || format.protocol === 'https';
  return {
    mediaUrl,
    filename: fileNameOf(info, format),
    contentType: headers['content-type'] ?? null,
    sizeBytes: isFile && told !== undefined && /^\d{1,15}$/.test(told) ? Number(told) : format.sizeBytes,
  };
}

const isHtml = ({ headers }: { headers: Record<string, string> }): boolean =>
  /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(headers['content-type'] ?? '');

/** Of the name without the format and the extension: file systems take 255 in all. */
const longestNameBytes = 200;

const extensions: Record<string, string> = { hls: 'm3u8', dash: 'mpd' };

function fileNameOf({ title, id }: VideoInfo, { container, id: formatId }: FoundFormat): string {
  const extension = extensions[container ?? ''] ?? container ?? 'bin';
  // What some file system refuses: separators, control characters, dots at either end.
  const name = (title ?? id)
    .replaceAll(/[\p{Cc}<>:"/\\|?*]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .toWellFormed()
    .replaceAll('\ufffd', ' ');
  const { read } = new TextEncoder().encodeInto(name, new Uint8Array(longestNameBytes));
  const clean = name.slice(0, read).replaceAll(/^[. ]+|[. ]+$/g, '') || 'video';
  const stem = clean.toLowerCase().endsWith(`.${extension}`) ? clean.slice(0, -extension.length - 1) : clean;
  return `${stem} [${formatId.slice(0, 30).replaceAll(/[^\w.-]+/g, '-')}].${extension}`;
}
