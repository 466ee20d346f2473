/**
 * Redis in TypeScript for machines without redis-server: memory only, one process, ended with its parent.
 * Parent -> here: the address to open. Here -> parent: {type: 'ready'}.
 */
import { once } from 'node:events';
import { createRedisCommandExecutor, RedisServerState, Resp2Server } from 'js-redis-server/core';
import type { RedisAddress } from './redis.ts';

process.on('SIGINT', () => {});
process.on('SIGTERM', () => process.exit(0));
// The parent was killed: the workers notice at the same moment and need Redis for a little while to end in order.
process.on('disconnect', () => setTimeout(() => process.exit(0), 3_000));

const [{ port, password }] = (await once(process, 'message')) as [RedisAddress];
const state = new RedisServerState({ requirepass: password });
const redis = new Resp2Server({ server: state, executor: createRedisCommandExecutor(), logger: console });
// It writes the answers of a pipeline one by one: with Nagle's algorithm each pipeline would take 40 ms.
redis.server.on('connection', (socket) => socket.setNoDelay(true));
// Its own listen() takes no address and opens the port to the whole network.
redis.server.listen(port, '127.0.0.1');
await once(redis.server, 'listening');
process.send?.({ type: 'ready' });
