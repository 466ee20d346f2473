import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import type { ApiContext } from '../../src/api/http/context.ts';
import { serveTunnel } from '../../src/api/tunnel.ts';
import { AppError } from '../../src/shared/errors.ts';
import { createId } from '../../src/shared/ids.ts';
import { emptyFormat } from '../../src/workers/video/platforms/empty-format.ts';

type Deps = Parameters<typeof serveTunnel>[0];

test('a request in which the bytes of a link come to their end is told that it has expired', async () => {
  const download = {
    via: 'tunnel',
    filename: '1.mp4',
    contentType: 'video/mp4',
    sizeBytes: null,
    format: {
      ...emptyFormat('1', 'https://media.example/1.mp4', 'muxed'),
      container: 'mp4',
    },
    mediaUrl: 'https://media.example/1.mp4',
    headers: {},
    linkExpiresAt: null,
  };
  const row = {
    id: createId(),
    user_id: 'u',
    operation: 'video.download',
    status: 'succeeded',
    expires_at: null,
    result: Buffer.from(JSON.stringify(download)),
  };
  const deps = {
    links: { isTunnelValid: () => true },
    findJob: async () => row,
    egress: {
      openLease: () => ({
        bytesReceived: 17 * 1024 ** 3,
        stream: () => Promise.reject(new AppError('target_too_large', 'too much')),
        [Symbol.asyncDispose]: async () => undefined,
      }),
    },
  } as unknown as Deps;
  const ctx = {
    query: { expires: '99999999999', signature: 's' },
    method: 'GET',
    get: () => '',
    res: new EventEmitter(),
  } as unknown as ApiContext;
  await expect(serveTunnel(deps)(ctx, row.id)).rejects.toMatchObject({ code: 'result_expired', status: 410 });
});
