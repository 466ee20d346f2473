import { findBlob } from '../shared/db/blobs.ts';
import { AppError } from '../shared/errors.ts';
import { isId } from '../shared/ids.ts';
import type { ApiDeps } from './deps.ts';
import type { ApiContext } from './http/context.ts';
import { sendBlob } from './http/send-blob.ts';
import { fileVariants } from './links.ts';
import { makeThumbnail } from './thumbnail.ts';

const gone = () =>
  new AppError('result_expired', 'The file was deleted, because its result was past its time or on request.');

/** `GET /files/{id}`: whoever has a signed link sees the file, until the link expires. */
export function serveFile(deps: Pick<ApiDeps, 'db' | 'links'>) {
  return async (ctx: ApiContext, id: string): Promise<void> => {
    const { variant: variantText = 'original', expires: expiresText, signature } = ctx.query;
    const variant = fileVariants.find((name) => name === variantText);
    const expires =
      typeof expiresText === 'string' && /^\d{1,12}$/.test(expiresText) ? Number(expiresText) : null;
    const link = variant && expires !== null && isId(id) ? { blobId: id, variant, expires } : null;
    if (link === null || typeof signature !== 'string' || !deps.links.isValid(link, signature)) {
      throw new AppError(
        'forbidden',
        'The link is not valid: its signature does not fit. Ask for the record again, it brings a new link.',
      );
    }
    if (link.expires * 1_000 <= Date.now()) throw gone();
    const blob = await findBlob(deps.db, link.blobId);
    if (blob === undefined) throw gone();
    const etag = blob.sha256.toString('hex');
    const file =
      link.variant === 'original'
        ? { ...blob, etag }
        : { contentType: 'image/webp', bytes: await makeThumbnail(blob.bytes), etag: `${etag}-thumbnail` };
    // Not before the file is there: a failure must not be kept.
    const seconds = Math.max(0, link.expires - Math.floor(Date.now() / 1_000));
    ctx.set('Cache-Control', `private, max-age=${seconds}, immutable`);
    sendBlob(ctx, file);
  };
}
