/**
 * Redis in TypeScript for machines without redis-server: memory only, one process, ended with its parent.
 * Parent -> here: environment REDIS_PASSWORD and REDIS_PORT (0 = any). Here -> parent: {type: 'ready', port}.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createRedisCommandExecutor, RedisServerState, Resp2Server } from 'js-redis-server/core';

process.on('SIGINT', () => {});
process.on('SIGTERM', () => process.exit(0));
// The parent was killed: the workers notice at the same moment and need Redis for a little while to end in order.
process.on('disconnect', () => setTimeout(() => process.exit(0), 3_000));

const requirepass = process.env['REDIS_PASSWORD'];
if (!requirepass) throw new Error('REDIS_PASSWORD is not set: src/embedded/redis.ts starts this program');

const state = new RedisServerState({ requirepass });
const redis = new Resp2Server({ server: state, executor: createRedisCommandExecutor(), logger: console });
// It writes the answers of a pipeline one by one: with Nagle's algorithm each pipeline would take 40 ms.
redis.server.on('connection', (socket) => socket.setNoDelay(true));
// Its own listen() takes no address and opens the port to the whole network.
redis.server.listen(Number(process.env['REDIS_PORT'] ?? 0), '127.0.0.1');
await once(redis.server, 'listening');
process.send?.({ type: 'ready', port: (redis.server.address() as AddressInfo).port });
