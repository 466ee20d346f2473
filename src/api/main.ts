import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Config, ConfigError, readConfig } from '../shared/config.ts';
import { runProcess } from '../shared/process.ts';
import { createApp } from './app.ts';
import { createApiDeps } from './deps.ts';
import { createDrain } from './drain.ts';
import { createFeed } from './feed/feed.ts';
import { isFeedUpgrade, serveWebSocket } from './feed/serve-websocket.ts';
import { answerBrokenRequests, requestBounds } from './http/broken-requests.ts';
import { boundPipelining } from './http/pipelined-requests.ts';
import { createJobPresenter } from './present-job.ts';
import { startDeliveries } from './webhooks/deliveries.ts';

const defaultPort = 3_000;
const triedPorts = 20;
/** Longer than clients keep an idle connection: whoever closes first must not be us, or a request on it fails. */
const keepAliveMs = 65_000;
const drainLingerMs = 5_000;
/** Requests that wait for a job may go on for this long after the stop; then they are answered 202. */
const answerWithinMs = 8_000;

async function listenOn(server: Server, host: string, port: number, reusePort = false): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen({ port, host, reusePort }, resolve);
  await promise.finally(() => server.removeListener('error', reject));
}

/** On the given port, or on the first free one from 3000 on. */
async function listen(server: Server, config: Config): Promise<void> {
  const { HOST: host, PORT: port, REUSE_PORT: reusePort } = config;
  if (port !== undefined) return await listenOn(server, host, port, reusePort);
  for (let tried = defaultPort; ; tried++) {
    try {
      return await listenOn(server, host, tried);
    } catch (error) {
      const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      if (!taken || tried === defaultPort + triedPorts) throw error;
    }
  }
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  const everywhere = address === '0.0.0.0' || address === '::';
  const host = everywhere ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}

await runProcess(async (lifetime) => {
  const config = readConfig();
  const deps = lifetime.use(await createApiDeps(config));
  const presenter = await createJobPresenter(deps);
  const feed = lifetime.use(createFeed({ ...deps, presenter, heartbeatMs: config.FEED_HEARTBEAT_MS }));
  lifetime.use(startDeliveries({ ...deps, presenter, retrySeconds: config.WEBHOOK_RETRY_SECONDS }));
  const app = await createApp({ deps, presenter, feed });
  const server = createServer(
    {
      ...requestBounds,
      keepAliveTimeout: keepAliveMs,
      requireHostHeader: false,
      shouldUpgradeCallback: isFeedUpgrade,
    },
    boundPipelining(app.callback()),
  );
  const webSockets = lifetime.use(serveWebSocket(server, app, deps, feed));
  answerBrokenRequests(server, deps.log);
  await listen(server, config).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError([
      `PORT: cannot listen on ${config.HOST}:${config.PORT ?? defaultPort} (${error.code}). Set PORT to a free one.`,
    ]);
  });
  // Under the supervisor everything stops at once: nobody takes over the clients.
  const drain = createDrain(server, {
    lingerMs: config.QUARRY_SUPERVISED ? 0 : drainLingerMs,
    answerWithinMs,
    hurry: () => deps.completions.stopWaiting(),
  });
  lifetime.defer(async () => {
    webSockets[Symbol.dispose]();
    // Streams have no end of their own to wait for.
    await Promise.all([feed[Symbol.asyncDispose](), drain.stop()]);
  });
  const url = urlOf(server);
  deps.log.info({ url }, 'listening');
  return { url };
});
