import { finished } from 'node:stream/promises';
import { videoDownload } from '../shared/contracts/video/download.ts';
import type { EgressLease, EgressStream } from '../shared/egress/types.ts';
import { AppError } from '../shared/errors.ts';
import { isId } from '../shared/ids.ts';
import type { OutputOf } from '../shared/operation.ts';
import type { ApiDeps } from './deps.ts';
import { loadResult } from './find-job.ts';
import { createLinkBytes } from './link-bytes.ts';
import type { ApiContext } from './http/context.ts';
import { sandbox } from './http/send-file.ts';
import { clientStatusOf } from './presenter.ts';
import { readExpires } from './links.ts';

type Download = OutputOf<typeof videoDownload>;

/** Of one link. */
const maxBytes = 16 * 1024 ** 3;
const maxMs = 6 * 3_600_000;
/** Of one process at a time. */
const maxOpen = 64;
/** Of them of one user's downloads. */
const maxOpenOfUser = 8;

const spent = () =>
  new AppError(
    'result_expired',
    `${maxBytes / 1024 ** 3} GiB have come through this link, and no more may. Ask for the download again.`,
  );

/** One range; of several the answer would be of another type, so whoever asks for them gets all of it. */
const oneRange = /^bytes=(\d{1,15}-\d{0,15}|-\d{1,15})$/i;
const returned = ['content-length', 'content-range', 'accept-ranges', 'etag', 'last-modified'] as const;

function toAnswerable(response: EgressStream): EgressStream {
  const { status, body } = response;
  if (status === 200 || status === 206 || status === 416) return response;
  body.destroy();
  if (status === 404 || status === 410)
    throw new AppError('video_not_found', 'The file of the video is gone. Ask for the download again.');
  throw new AppError(
    'platform_blocked',
    `The server of the file answered ${status}. Ask for the download again.`,
  );
}

/** A file name in a header: plain characters for old clients, all of them for others (RFC 6266, RFC 8187). */
function dispositionOf(filename: string): string {
  const plain = filename.replaceAll(/[^\x20-\x7e]|["\\]/g, '_');
  const encoded = encodeURIComponent(filename).replaceAll(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Counts what is open, of all and of each user. */
function createSlots(): { take(userId: string): Disposable } {
  const ofUser = new Map<string, number>();
  let open = 0;
  return {
    take(userId) {
      const own = ofUser.get(userId) ?? 0;
      if (open >= maxOpen || own >= maxOpenOfUser)
        throw new AppError('overloaded', 'Too many downloads run here. Try again in a moment.');
      ofUser.set(userId, own + 1);
      open++;
      return {
        [Symbol.dispose]() {
          open--;
          const left = (ofUser.get(userId) ?? 1) - 1;
          if (left === 0) ofUser.delete(userId);
          else ofUser.set(userId, left);
        },
      };
    },
  };
}

/**
 * `GET /tunnel/{id}`: streams the file that a download has found, for whoever has the signed link, because the
 * platform's own works from our address only. Ranges are the platform's to answer. Nothing is held or stored: it is
 * read as fast as the client reads, within 16 GiB of a link and 6 hours of a request, as long as the client reads at all.
 */
export function serveTunnel(deps: Pick<ApiDeps, 'links' | 'findJob' | 'egress'>) {
  const slots = createSlots();
  const linkBytes = createLinkBytes(maxBytes);

  async function getDownload(ctx: ApiContext, id: string) {
    const { expires: text, signature } = ctx.query;
    const expires = readExpires(text);
    const isValid =
      isId(id) &&
      expires !== null &&
      typeof signature === 'string' &&
      deps.links.isTunnelValid({ jobId: id, expires }, signature);
    if (!isValid) throw new AppError('forbidden', 'The link is not valid: its signature does not match.');
    const found = expires * 1_000 <= Date.now() ? undefined : await deps.findJob(id);
    const row = found && (await loadResult(found));
    const isThere =
      row !== undefined && row.operation === videoDownload.id && clientStatusOf(row) === 'succeeded';
    if (!isThere || row.result === null)
      throw new AppError(
        'result_expired',
        'The link has expired. Ask for the download again to get a new one.',
      );
    const download = JSON.parse(row.result.toString()) as Download;
    return { download, userId: row.user_id, jobId: row.id, expiresAt: expires * 1_000 };
  }

  async function ask(
    ctx: ApiContext,
    { mediaUrl, headers }: Download,
    lease: EgressLease,
  ): Promise<EgressStream> {
    const [range, ifRange] = [ctx.get('Range').replaceAll(' ', ''), ctx.get('If-Range')];
    const asked = oneRange.test(range) ? { range, ...(ifRange && { 'if-range': ifRange }) } : {};
    const response = await lease.stream({
      url: mediaUrl,
      method: ctx.method === 'HEAD' ? 'HEAD' : 'GET',
      originHeaders: headers,
      headers: { ...asked, 'accept-encoding': 'identity' },
    });
    return toAnswerable(response);
  }

  return async (ctx: ApiContext, id: string): Promise<void> => {
    const { download, userId, jobId, expiresAt } = await getDownload(ctx, id);
    const leftBytes = maxBytes - linkBytes.of(jobId);
    if (leftBytes <= 0) throw spent();
    const slot = slots.take(userId);
    const gone = new AbortController();
    ctx.res.once('close', () => gone.abort());
    const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(maxMs)]);
    const lease = deps.egress.openLease({ byteBudget: leftBytes, signal });
    const counted = linkBytes.count(jobId, expiresAt, lease, () => gone.abort());
    const end = async (): Promise<void> => {
      slot[Symbol.dispose]();
      counted[Symbol.dispose]();
      await lease[Symbol.asyncDispose]();
    };
    try {
      const { status, headers, body } = await ask(ctx, download, lease);
      ctx.status = status;
      // Of what was compressed all the same they tell of other bytes than those that go on.
      const told = headers['content-encoding'] === undefined ? returned : [];
      for (const name of told) if (headers[name] !== undefined) ctx.set(name, headers[name]);
      ctx.set({
        'Content-Type': download.contentType ?? 'application/octet-stream',
        'Content-Disposition': dispositionOf(download.filename),
        'Content-Security-Policy': sandbox,
        'X-Content-Type-Options': 'nosniff',
        'Cross-Origin-Resource-Policy': 'cross-origin',
        'Cache-Control': 'private, no-store',
      });
      ctx.body = body;
      // A client takes what ends early without its length for a broken answer, which this is.
      body.once('error', () => ctx.res.destroy());
      void finished(ctx.res)
        .catch(() => undefined)
        .then(end);
    } catch (error) {
      await end();
      throw linkBytes.of(jobId) > maxBytes ? spent() : error;
    }
  };
}
