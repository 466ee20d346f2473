import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';

import { expiredCertificate, strangerCertificate, testKey } from './egress-certificates.ts';

export interface TlsOrigins extends AsyncDisposable {
  /** `https://127.0.0.1:<port>` of servers whose TLS is wrong in one way each. */
  stranger: string;
  expired: string;
  /** Speaks TLS 1.0 and nothing newer. */
  outdated: string;
}

export async function startTlsOrigins(): Promise<TlsOrigins> {
  const servers = await Promise.all([
    serve({ cert: strangerCertificate }),
    serve({ cert: expiredCertificate }),
    serve({
      cert: strangerCertificate,
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    }),
  ]);
  const [stranger = '', expired = '', outdated = ''] = servers.map((server) => {
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  return {
    stranger,
    expired,
    outdated,
    async [Symbol.asyncDispose]() {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

async function serve(options: ServerOptions): Promise<ReturnType<typeof createServer>> {
  const server = createServer({ key: testKey, ...options }, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Over TLS</title>');
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
