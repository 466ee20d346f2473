import { AppError } from '../../shared/errors.ts';
import { otherProtocol, type ProgramRequest, type ProgramRun, runProgram } from './media-program.ts';

export interface FfmpegRequest extends Omit<ProgramRequest, 'args' | 'input'> {
  /** An http or https URL, or an MP4 file that we have fetched. */
  input: string | { path: string };
  /** Before the input, such as `-ss`. */
  inputOptions?: readonly string[];
  /** After the input; what it makes goes to standard output. */
  outputOptions: readonly string[];
}

const openProtocols = 'http,https,tcp,tls,httpproxy';
/**
 * By their demuxers' names. A list of protocols is not enough: `tcp` has to be on it, and on `tcp` alone the
 * demuxers of RTSP and its like go to any host and port past the proxy.
 */
const openFormats =
  'aac,aiff,asf,avi,dash,flac,flv,hls,image2pipe,jpeg_pipe,matroska,webm,mov,mp4,m4a,3gp,3g2,mj2,mp3,mpeg,mpegts,' +
  'ogg,png_pipe,wav,webm_dash_manifest,webp_pipe,webvtt';

/** A file of ours is opened as what names no others: references to other files are off in ffmpeg's MP4. */
const fileFormats = 'mov,mp4,m4a,3gp,3g2,mj2';

/** What ffmpeg says of an address of another protocol in a playlist; later versions judge its ending before that. */
const stops = [
  /not on whitelist|blocked for security reasons/i,
  /URL (?!https?:)\S+ is not in allowed_segment_extensions/i,
];

/** What is opened, and by what. @throws AppError `invalid_request` */
function boundsOf(input: FfmpegRequest['input']): { place: string; protocols: string; formats: string } {
  if (typeof input !== 'string')
    return { place: `file:${input.path}`, protocols: 'file', formats: fileFormats };
  const url = URL.parse(input);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new AppError('invalid_request', 'Only http and https media can be opened.');
  return { place: url.href, protocols: openProtocols, formats: openFormats };
}

/**
 * Runs ffmpeg on one input behind the egress door. What the input names (playlists, segments, redirects) is bound
 * to the same protocols and formats.
 * @throws AppError `invalid_request` for an input that is not http or https, and as `runProgram`.
 */
export async function runFfmpeg(request: FfmpegRequest): Promise<ProgramRun> {
  const { input, inputOptions = [], outputOptions, ...rest } = request;
  const { place, protocols, formats } = boundsOf(input);
  const bounds = ['-protocol_whitelist', protocols, '-format_whitelist', formats];
  const args = ['-hide_banner', '-nostdin', ...inputOptions, ...bounds, '-i', place, ...outputOptions];
  const run = await runProgram({ ...rest, args: () => [...args, 'pipe:1'] });
  const wasStopped = stops.some((stop) => stop.test(run.stderr));
  return { ...run, refusal: run.refusal ?? (wasStopped ? otherProtocol() : null) };
}
