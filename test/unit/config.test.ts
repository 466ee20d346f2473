import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../src/shared/config.ts';

const secret = randomBytes(32).toString('base64');
const complete = {
  DATABASE_URL: 'postgres://u:p@127.0.0.1:5432/quarry',
  REDIS_URL: 'redis://127.0.0.1:6379',
  KEY_ENCRYPTION_KEYS: `1:${secret}`,
  SESSION_SECRET: secret,
  LINK_SECRET: secret,
};

test('a complete environment is read into a frozen object with the documented defaults', () => {
  const config = readConfig(complete);
  expect(config).toMatchObject({
    HOST: '127.0.0.1',
    RESULT_TTL_HOURS: 168,
    EGRESS_ALLOW: [],
  });
  expect(config.PLANS).toMatchObject({
    free: { rateLimit: 100 },
    pro: { rateLimit: 1_000 },
    scale: { rateLimit: 10_000 },
  });
  expect(config.KEY_ENCRYPTION_KEYS[0]).toMatchObject({ version: 1 });
  expect(Object.isFrozen(config)).toBe(true);
});

test('an empty variable counts as not set', () => {
  expect(readConfig({ ...complete, PORT: '' }).PORT).toBeUndefined();
});

test('several URLs of Redis are those of a cluster, and one is where that is said', () => {
  const redisOf = (env: Record<string, string>) => readConfig({ ...complete, ...env }).redis;
  expect(redisOf({})).toEqual({ urls: [complete.REDIS_URL], isCluster: false });
  expect(redisOf({ REDIS_CLUSTER: '1' }).isCluster).toBe(true);
  const urls = ['redis://:pw@10.0.0.1:6379', 'redis://:pw@10.0.0.2:6379'];
  expect(redisOf({ REDIS_URL: urls.join(', ') })).toEqual({ urls, isCluster: true });
  expect(() => redisOf({ REDIS_URL: `${urls[0]}, 10.0.0.2` })).toThrow(
    /REDIS_URL is no redis: or rediss: URL/,
  );
});

test('every problem is named at once, each with its variable and its mend', () => {
  const broken = {
    ...complete,
    DATABASE_URL: undefined,
    PORT: '70000',
    EGRESS_ALLOW: '10.0.0.0/40',
    LINK_SECRET: 'short',
  };
  const problems = () => readConfig(broken);
  expect(problems).toThrow(ConfigError);
  expect(problems).toThrow(/DATABASE_URL is missing.*npm start/);
  expect(problems).toThrow(/PORT/);
  expect(problems).toThrow(/EGRESS_ALLOW.*10\.0\.0\.0\/40/);
  expect(problems).toThrow(/LINK_SECRET is too short.*openssl/);
});

test.each([
  ['no version', secret],
  ['too short', '1:c2hvcnQ='],
  ['one version twice', `1:${secret},1:${secret}`],
])('KEY_ENCRYPTION_KEYS with %s is refused', (_what, value) => {
  expect(() => readConfig({ ...complete, KEY_ENCRYPTION_KEYS: value })).toThrow(/KEY_ENCRYPTION_KEYS/);
});

test('PLANS replaces the plans; a plan that lacks a bound is refused', () => {
  const PLANS = JSON.stringify({ team: { rateLimit: 5, maxConcurrentJobs: 1, maxKeys: 2 } });
  expect(readConfig({ ...complete, PLANS }).PLANS).toEqual({
    team: { rateLimit: 5, userRateLimit: 10, maxConcurrentJobs: 1, maxKeys: 2, maxTokensPerDay: null },
  });
  expect(() => readConfig({ ...complete, PLANS: '{"team": {"rateLimit": 5}}' })).toThrow(/PLANS/);
});

test('the settings of an S3 store are one group, whose region alone has a default', () => {
  const group = {
    S3_ENDPOINT: 'http://127.0.0.1:9000',
    S3_BUCKET: 'quarry',
    S3_ACCESS_KEY_ID: 'id',
    S3_SECRET_ACCESS_KEY: 'secret',
  };
  expect(readConfig(complete).providers.s3).toBeNull();
  const { s3 } = readConfig({ ...complete, ...group }).providers;
  expect(s3).toMatchObject({ bucket: 'quarry', region: 'us-east-1', accessKeyId: 'id' });
  for (const name of Object.keys(group)) {
    const half = { ...complete, ...group, [name]: undefined };
    expect(() => readConfig(half), name).toThrow(`${name} is missing`);
  }
});
