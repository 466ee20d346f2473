import { expect, test } from 'vitest';
import { createLog } from '../../src/shared/log.ts';
import { isRedisAway } from '../../src/shared/redis.ts';

test.each([
  "OOM command not allowed when used memory > 'maxmemory'. script: 2cb0, on @user_script:30.",
  'ERR Error running script (call to f_2cb0): @user_script:30: @user_script: 30: -OOM command not allowed when used memory',
  'MISCONF Errors writing to the AOF file: No space left on device',
  "READONLY You can't write against a read only replica.",
  'NOREPLICAS Not enough good replicas to write.',
  'LOADING Redis is loading the dataset in memory',
  'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
  'NOAUTH Authentication required.',
  'ERR max number of clients reached',
  'connect ETIMEDOUT',
  'CLUSTERDOWN The cluster is down',
  'Too many Cluster redirections. Last error: Error: Connection is closed.',
  "Cluster isn't ready and enableOfflineQueue options is false",
])('a Redis that says %j cannot work now', (message) => {
  expect(isRedisAway(new Error(message))).toBe(true);
});

test.each(['WRONGTYPE Operation against a key holding the wrong kind of value', 'ERR unknown command'])(
  'a Redis that says %j was asked something wrong',
  (message) => {
    expect(isRedisAway(new Error(message))).toBe(false);
  },
);

test('the log of an error of Redis leaves out the command, which may be a script or a password', () => {
  let lines = '';
  const log = createLog({ level: 'info', name: 'test', write: (line) => void (lines += line) });
  const command = { name: 'auth', args: ['open sesame'] };
  log.warn({ err: Object.assign(new Error('WRONGPASS'), { command }) }, 'redis');
  expect(lines).toContain('WRONGPASS');
  expect(lines).not.toContain('sesame');
});
