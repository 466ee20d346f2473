import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig, readWorkerConfig } from '../../src/shared/config.ts';

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

test('EXTENSIONS are found from where the process was started', () => {
  const { EXTENSIONS } = readConfig({ ...complete, EXTENSIONS: '/opt/first, second/' });
  expect(EXTENSIONS).toEqual(['/opt/first', join(process.cwd(), 'second')]);
});

test('several URLs of Redis are those of a cluster, and one is where that is said', () => {
  const redisOf = (env: Record<string, string>) => readConfig({ ...complete, ...env }).redis;
  expect(redisOf({})).toEqual({ urls: [complete.REDIS_URL], isCluster: false });
  expect(redisOf({ REDIS_CLUSTER: '1' }).isCluster).toBe(true);
  const urls = ['redis://:pw@10.0.0.1:6379', 'redis://:pw@10.0.0.2:6379'];
  expect(redisOf({ REDIS_URL: urls.join(', ') })).toEqual({ urls, isCluster: true });
  const withComma = ['redis://:p,w@10.0.0.1', 'rediss://user:,pw@10.0.0.2/0'];
  expect(redisOf({ REDIS_URL: withComma[0] ?? '' })).toEqual({ urls: [withComma[0]], isCluster: false });
  expect(redisOf({ REDIS_URL: `${withComma.join(',')},` }).urls).toEqual(withComma);
  for (const wrong of [`${urls[0]}, 10.0.0.2`, 'redis://10.0.0.1,10.0.0.2'])
    expect(() => redisOf({ REDIS_URL: wrong })).toThrow(/REDIS_URL is not a redis: or rediss: URL/);
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

test('PUBLIC_URL is the origin of a host', () => {
  const originOf = (PUBLIC_URL: string) => readConfig({ ...complete, PUBLIC_URL }).PUBLIC_URL;
  expect(originOf('https://Quarry.example/')).toBe('https://quarry.example');
  expect(originOf('http://127.0.0.1:3000')).toBe('http://127.0.0.1:3000');
  for (const url of ['/quarry', '/?a=1', '?a=1', '#a', '//'].map((end) => `https://quarry.example${end}`))
    expect(() => originOf(url), url).toThrow('PUBLIC_URL must be an http(s) URL without a path');
  expect(() => originOf('https://me:pw@quarry.example')).toThrow('PUBLIC_URL');
  expect(() => originOf('ftp://quarry.example')).toThrow('PUBLIC_URL');
});

test('headers for the collector of traces are percent-decoded', () => {
  const headersOf = (text: string) =>
    readConfig({
      ...complete,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
      OTEL_EXPORTER_OTLP_HEADERS: text,
    }).OTEL_EXPORTER_OTLP_HEADERS;
  expect(headersOf('Authorization=Basic%20YTpi%2C=, x-tenant=a=1')).toEqual({
    Authorization: 'Basic YTpi,=',
    'x-tenant': 'a=1',
  });
  expect(() => headersOf('x-share=50%')).toThrow('OTEL_EXPORTER_OTLP_HEADERS has a % that is not part');
});

test('a vendor without an account is refused by an API and by a worker of its queue, not by others', () => {
  const half = { SEO_PROVIDERS: 'traffic=dataforseo' };
  const problem = 'DATAFORSEO_LOGIN and DATAFORSEO_PASSWORD are missing';
  expect(() => readConfig({ ...complete, ...half })).toThrow(problem);
  const { DATABASE_URL, REDIS_URL } = complete;
  const worker = { DATABASE_URL, REDIS_URL, JOB_INPUT_KEYS: `1:${secret}` };
  expect(readWorkerConfig(['seo'], worker).SEO_PROVIDERS.traffic).toBe('open');
  expect(() => readWorkerConfig(['ai', 'seo'], { ...worker, ...half })).toThrow(problem);
  expect(readWorkerConfig(['browser'], { ...worker, ...half }).SEO_PROVIDERS.traffic).toBe('dataforseo');
});

describe('the manifests give each process what it needs', () => {
  const read = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
  /** Only what a name stands for: the values are those of `complete`. */
  const valuesOf = (names: readonly string[]) =>
    Object.fromEntries(
      names.map((name) => [name, { ...complete, JOB_INPUT_KEYS: `1:${secret}` }[name] ?? '']),
    );
  const namesIn = (text = '', pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);

  test.each(['Dockerfile', 'compose.yaml', 'deploy/kubernetes.yaml'])(
    '%s starts programs that are there',
    (file) => {
      const programs = read(file).match(/\bsrc\/[\w/-]+\.ts\b/g) ?? [];
      expect(programs).not.toEqual([]);
      for (const program of programs) expect(read(program), program).not.toBe('');
      // Postgres answers on its socket while the first start is not done yet.
      for (const [, rest] of read(file).matchAll(/pg_isready(.*)/g)) expect(rest).toContain('-h, 127.0.0.1');
    },
  );

  test('compose.yaml', () => {
    const text = read('compose.yaml');
    const servers = namesIn(/^x-servers:.*\n((?: .*\n)+)/m.exec(text)?.[1], /^ +([A-Z_]+):/gm);
    const api = namesIn(
      /^ {2}api:\n(?: .*\n)*? {4}environment:\n((?: {6}.*\n)+)/m.exec(text)?.[1],
      /^ +([A-Z_]+):/gm,
    );
    expect(readWorkerConfig([], valuesOf(servers)).jobInputKeys).toHaveLength(1);
    expect(readConfig(valuesOf([...servers, ...api])).KEY_ENCRYPTION_KEYS).toHaveLength(1);
    const told = namesIn(text, /echo "([A-Z_]+)=/g);
    expect(told).toEqual(expect.arrayContaining(namesIn(text, /\$\{([A-Z_]+):\?/g)));
  });

  test('deploy/kubernetes.yaml', () => {
    const text = read('deploy/kubernetes.yaml');
    const made = (secretName: string) =>
      namesIn(
        new RegExp(`secret generic ${secretName}((?:.*\\\\\n)*.*\n)`).exec(text)?.[1],
        /--from-literal=([A-Z_]+)=/g,
      );
    const containers = [...text.matchAll(/args: \[node, ([^\],]+)((?:(?!---).*\n)*)/g)];
    expect(containers).toHaveLength(8);
    for (const [, script, rest] of containers) {
      const names = namesIn(rest, /secretRef: \{ name: (\S+) \}/g).flatMap(made);
      expect(names).toContain('DATABASE_URL');
      if (script === 'src/api/main.ts') readConfig(valuesOf(names));
      if (script === 'src/workers/main.ts') readWorkerConfig([], valuesOf(names));
    }
  });
});
