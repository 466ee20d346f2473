import { batchLoad } from '../shared/batch-load.ts';
import { findFiles } from '../shared/db/files.ts';
import { AppError } from '../shared/errors.ts';
import { isId } from '../shared/ids.ts';
import type { ApiDeps } from './deps.ts';
import { signalOf } from './http/client-gone.ts';
import type { ApiContext } from './http/context.ts';
import { sendFile } from './http/send-file.ts';
import { fileVariants, readExpires } from './links.ts';
import { networkRequester } from './sessions/network-requester.ts';
import { createThumbnails } from './thumbnail.ts';

const gone = () =>
  new AppError('result_expired', 'The file was deleted, because its result was past its time or on request.');

/** `GET /files/{id}`: whoever has a signed link sees the file, until the link expires. */
export function serveFile(deps: Pick<ApiDeps, 'db' | 'files' | 'findClientAddress' | 'gate' | 'links'>) {
  const findFile = batchLoad((ids) => findFiles(deps.db, ids));
  const findOrMakeThumbnail = createThumbnails(deps);
  return async (ctx: ApiContext, id: string): Promise<void> => {
    const { variant: variantText = 'original', expires: expiresText, signature } = ctx.query;
    const variant = fileVariants.find((name) => name === variantText);
    const expires = readExpires(expiresText);
    const link = variant && expires !== null && isId(id) ? { fileId: id, variant, expires } : null;
    if (link === null || typeof signature !== 'string' || !deps.links.isValid(link, signature)) {
      throw new AppError(
        'forbidden',
        'The link is not valid: its signature does not match. Ask for the record again to get a new link.',
      );
    }
    if (link.expires * 1_000 <= Date.now()) throw gone();
    // Until its first bytes are there; no matter how long the client takes for the rest.
    await deps.gate.run(networkRequester('file', ctx, deps), signalOf(ctx), async () => {
      const original = await findFile(link.fileId);
      if (original === undefined) throw gone();
      const file = link.variant === 'original' ? original : await findOrMakeThumbnail(original);
      if (file === undefined) throw gone();
      // Refuses a store that is not configured.
      const store = deps.files.get(file.store);
      await sendFile(ctx, { ...file, etag: file.sha256, read: (range) => store.read(file.id, range) });
    });
    // Not before the file is there: a failure must not be kept.
    const seconds = Math.max(0, link.expires - Math.floor(Date.now() / 1_000));
    if (ctx.status < 400) ctx.set('Cache-Control', `private, max-age=${seconds}, immutable`);
  };
}
