/**
 * Redis in TypeScript for machines without redis-server: memory only, one process, ended with its parent.
 * Parent -> here: the address to open. Here -> parent: {type: 'ready'}.
 */
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { setImmediate as nextTick } from 'node:timers/promises';
import {
  createRedisCommandExecutor,
  createStringData,
  type RedisDataValue,
  RedisKeyspace,
  RedisMutationBus,
  RedisServerState,
  Resp2Server,
} from 'js-redis-server/core';
import type { RedisAddress } from './redis.ts';

process.on('SIGINT', () => {});
process.on('SIGTERM', () => process.exit(0));
// The parent was killed: the workers notice at the same moment and need Redis for a little while to end in order.
process.on('disconnect', () => setTimeout(() => process.exit(0), 3_000));

dropNeedlessCopies();
// What is stored is cut from Node's pool, all of which a value keeps as long as it stays: 64 KB for the use of a key.
Buffer.poolSize = 1_024;
const [{ port, password, socket: path }] = (await once(process, 'message')) as [RedisAddress];
const state = new RedisServerState({ requirepass: password });
const redis = new Resp2Server({ server: state, executor: createFairExecutor(), logger: console });
// It writes the answers of a pipeline one by one: with Nagle's algorithm each pipeline would take 40 ms.
redis.server.on('connection', (socket) => socket.setNoDelay(true));
if (path !== undefined) {
  // What a killed one has left.
  rmSync(path, { force: true });
  const byPath = createServer((socket) => redis.server.emit('connection', socket));
  await once(byPath.listen(path), 'listening');
  // As those of its TCP server.
  byPath.on('error', (error) => redis.server.emit('error', error));
}
// Its own listen() takes no address and opens the port to the whole network.
redis.server.listen(port, '127.0.0.1');
await once(redis.server, 'listening');
process.send?.({ type: 'ready' });

/** It would answer all that one client has sent at once, scripts of milliseconds, before it hears the next client. */
function createFairExecutor() {
  const executor = createRedisCommandExecutor();
  const execute = executor.executeRaw.bind(executor);
  executor.executeRaw = async (...command) => {
    await nextTick();
    return await execute(...command);
  };
  return executor;
}

/**
 * It copies all of a key's value for each command that reads it, and for each listener at each write: an hourly
 * window of 10,000 uses, BullMQ's stream of events. No command changes what it has only read, and no listener looks
 * at the value. Nor does anybody read the stacks of the errors by which it parses options that are not there.
 */
function dropNeedlessCopies(): void {
  const neverMade = () => {
    throw new Error('A key that has a type is not there');
  };
  RedisKeyspace.prototype.get = function (this: RedisKeyspace, key) {
    const type = this.getType(key);
    if (type === null) return null;
    return this.update<RedisDataValue, RedisDataValue>(key, type, neverMade, (value) => value);
  };
  const nothing = createStringData(Buffer.alloc(0));
  const emit = RedisMutationBus.prototype.emit;
  RedisMutationBus.prototype.emit = function (this: RedisMutationBus, event) {
    emit.call(this, event.type === 'write' ? { ...event, value: nothing } : event);
  };
  Error.stackTraceLimit = 1;
}
