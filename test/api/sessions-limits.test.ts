import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiCluster, type ApiProcess, type OwnedKey, startApiCluster } from '../support/api-cluster.ts';

const password = 'correct horse battery';

let cluster: ApiCluster;
/** Believes X-Forwarded-For from loopback, has open sign-up and is reached over TLS. */
let behindProxy: ApiProcess;
beforeAll(async () => {
  cluster = await startApiCluster({ processes: 2, env: { DATABASE_POOL: '40' } });
  behindProxy = await cluster.startApi({
    TRUSTED_PROXIES: '127.0.0.0/8',
    SIGNUP: 'open',
    PUBLIC_URL: 'https://quarry.example',
  });
});
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

interface Sent {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Record<string, unknown>;
}

/** `from`: the loopback address that the connection comes from. */
function post(
  base: string,
  path: string,
  body: unknown,
  options: { from: string; headers?: Record<string, string> },
): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, base), {
      method: 'POST',
      localAddress: options.from,
      headers: { 'Content-Type': 'application/json', ...options.headers },
    });
    sent.on('error', reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: JSON.parse(text) as Record<string, unknown>,
        }),
      );
    });
    sent.end(JSON.stringify(body));
  });
}

const forged = (n: number) => `198.51.${n % 100}.${(n * 7) % 250}`;

/** 401 means that the password was checked. */
function attempts(
  times: number,
  attempt: (n: number) => { base: string; email: string; from: string; forwardedFor?: string },
): Promise<Sent[]> {
  return Promise.all(
    Array.from({ length: times }, (_, n) => {
      const { base, email, from, forwardedFor } = attempt(n);
      return post(
        base,
        '/api/auth/sign-in/email',
        { email, password: `wrong ${n}` },
        { from, ...(forwardedFor === undefined ? {} : { headers: { 'X-Forwarded-For': forwardedFor } }) },
      );
    }),
  );
}

const checked = (answers: Sent[]) => answers.filter(({ status }) => status === 401).length;
const hashOf = (email: string) => createHash('sha256').update(email).digest('base64url');
const apiOf = (n: number) => cluster.apis[n % cluster.apis.length]!.url;

describe('of 100 logins at once over two processes at most 10 reach the password check', () => {
  let owned: OwnedKey;
  beforeAll(async () => {
    owned = await cluster.createKey(100, password);
  });

  test('at one account, from one address that forges X-Forwarded-For', async () => {
    const answers = await attempts(100, (n) => ({
      base: apiOf(n),
      email: n % 2 === 0 ? owned.email : owned.email.toUpperCase(),
      from: '127.0.0.2',
      forwardedFor: forged(n),
    }));
    expect(checked(answers)).toBe(10);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(90);
    for (const { headers, body } of refused) {
      expect(body).toMatchObject({ code: 'too_many_attempts', retryable: true });
      expect(Number(headers['retry-after'])).toBeGreaterThan(800);
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(900);
    }
  });

  test('at one account, from a hundred true addresses', async () => {
    const other = await cluster.createKey(100, password);
    const answers = await attempts(100, (n) => ({
      base: behindProxy.url,
      email: other.email,
      from: '127.0.0.3',
      forwardedFor: `${forged(n + 1)}, ${forged(n)}`,
    }));
    expect(checked(answers)).toBe(10);
  });

  test('that succeed at one account, sixty in an hour from one address', async () => {
    const other = await cluster.createKey(100, password);
    const signIn = (from = '127.0.0.7') =>
      post(apiOf(0), '/api/auth/sign-in/email', { email: other.email, password }, { from });
    expect((await signIn()).status).toBe(200);
    const signedIn = cluster.db.updateTable('login_attempts').where('subject', 'like', 'signed-in:%');
    await signedIn.set({ attempts: 59 }).execute();
    expect((await signIn()).status).toBe(200);
    expect(await signIn()).toMatchObject({ status: 429, headers: { 'retry-after': expect.any(String) } });
    expect((await signIn('127.0.0.11')).status).toBe(200);
    await signedIn.set({ window_ends_at: new Date(Date.now() - 1_000) }).execute();
    expect((await signIn()).status).toBe(200);
  });

  test('at a hundred accounts, from one address', async () => {
    const answers = await attempts(100, (n) => ({
      base: apiOf(n),
      email: `someone-${n}@quarry.test`,
      from: '127.0.0.4',
      forwardedFor: forged(n),
    }));
    expect(checked(answers)).toBe(10);
  });

  test('an address that is refused does not use up the attempts of an account', async () => {
    const other = await cluster.createKey(100, password);
    await attempts(20, (n) => ({ base: apiOf(n), email: other.email, from: '127.0.0.4' }));
    const { status } = await post(
      apiOf(0),
      '/api/auth/sign-in/email',
      { email: other.email, password },
      { from: '127.0.0.5' },
    );
    expect(status).toBe(200);
  });

  test('from where they came the right password too waits until the window has passed', async () => {
    const signIn = (from: string) =>
      post(apiOf(1), '/api/auth/sign-in/email', { email: owned.email, password }, { from });
    expect((await signIn('127.0.0.2')).status).toBe(429);
    // Elsewhere the owner has to wait for seconds, not for the window.
    const sometimes = async () => (await signIn('127.0.0.6')).status;
    await expect.poll(sometimes, { timeout: 20_000, interval: 500 }).toBe(200);
    await cluster.db
      .updateTable('login_attempts')
      .set({ window_ends_at: new Date(Date.now() - 1_000) })
      .execute();
    expect((await signIn('127.0.0.2')).status).toBe(200);
  });

  test('attempts at one account from ever new addresses have to wait for each other, longer with each', async () => {
    const { email } = await cluster.createKey(100, password);
    const free = await attempts(10, (n) => ({
      base: behindProxy.url,
      email,
      from: '127.0.0.3',
      forwardedFor: `203.0.113.${n}`,
    }));
    expect(checked(free)).toBe(10);
    const lastAttemptWas = (secondsAgo: number) =>
      cluster.db
        .updateTable('login_attempts')
        .set({ window_ends_at: sql<Date>`now() + ${900 - secondsAgo} * interval '1 second'` })
        .execute();
    const waits: number[] = [];
    for (let n = 0; n < 3; n++) {
      await lastAttemptWas(0);
      const forwardedFor = `203.0.113.${100 + n}`;
      const next = () =>
        attempts(1, () => ({ base: behindProxy.url, email, from: '127.0.0.3', forwardedFor }));
      const [refused] = await next();
      waits.push(Number(refused?.headers['retry-after']));
      await lastAttemptWas(60);
      expect(checked(await next())).toBe(1);
    }
    // By the seconds that have passed since.
    for (const [n, most] of [10, 20, 40].entries()) {
      expect(waits[n]).toBeLessThanOrEqual(most);
      expect(waits[n]).toBeGreaterThan(most - 8);
    }
  });
});

test('where an account has signed in before it need not wait for the attempts of others', async () => {
  const { email } = await cluster.createKey(100, password);
  const signInFrom = (address: string) =>
    post(
      behindProxy.url,
      '/api/auth/sign-in/email',
      { email, password },
      { from: '127.0.0.4', headers: { 'X-Forwarded-For': address } },
    );
  expect((await signInFrom('192.0.2.1')).status).toBe(200);
  const others = { base: behindProxy.url, email, from: '127.0.0.4' };
  await attempts(12, (n) => ({ ...others, forwardedFor: `192.0.2.${100 + n}` }));
  expect((await signInFrom('192.0.2.2')).status).toBe(429);
  expect((await signInFrom('192.0.2.1')).status).toBe(200);
  // Guesses there are bounded as everywhere.
  const guesses = await attempts(12, () => ({ ...others, forwardedFor: '192.0.2.1' }));
  expect(checked(guesses)).toBe(10);
});

test('sign-ins that succeed are no attempts', async () => {
  const owned = await cluster.createKey(100, password);
  for (let n = 0; n < 12; n++) {
    const { status } = await post(
      apiOf(n),
      '/api/auth/sign-in/email',
      { email: owned.email, password },
      { from: '127.0.0.7' },
    );
    expect(status).toBe(200);
  }
  // Of many at once some are refused, and none of those counts either.
  const from = '127.0.0.7';
  const signIn = () => post(apiOf(0), '/api/auth/sign-in/email', { email: owned.email, password }, { from });
  await Promise.all(Array.from({ length: 20 }, signIn));
  const signedIn = await signIn();
  expect(signedIn.status).toBe(200);
  const Cookie = signedIn.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const change = { currentPassword: password, newPassword: password };
  const changed = await post(apiOf(0), '/api/auth/change-password', change, { from, headers: { Cookie } });
  expect(changed.status).toBe(200);
  const counted = await cluster.db
    .selectFrom('login_attempts')
    .select('subject')
    .where('attempts', '>', 0)
    .where('subject', 'like', `%address:${from}`)
    .execute();
  expect(counted).toEqual([]);
});

test('who is signed in counts for nobody else, whomever the change of a password names', async () => {
  const [own, other] = [await cluster.createKey(100, password), await cluster.createKey(100, password)];
  const from = '127.0.0.10';
  const signedIn = await post(apiOf(0), '/api/auth/sign-in/email', { email: own.email, password }, { from });
  const Cookie = signedIn.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const counted = async () =>
    await cluster.db
      .selectFrom('login_attempts')
      .select(['subject', 'attempts'])
      .orderBy('subject')
      .execute();
  const before = await counted();
  const change = { currentPassword: password, newPassword: password, email: other.email };
  const changed = await post(apiOf(0), '/api/auth/change-password', change, { from, headers: { Cookie } });
  expect(changed.status).toBe(200);
  const ofOwn = before.map((row) =>
    row.subject.startsWith('signed-in:') && row.subject.includes(hashOf(own.email))
      ? { ...row, attempts: row.attempts + 1 }
      : row,
  );
  expect(await counted()).toEqual(ofOwn);
  expect(ofOwn).not.toEqual(before);
});

const waitingForLocks = async () => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock'`.execute(cluster.db);
  return rows[0]?.count;
};

describe('of one network eight are worked on at a time, and others do not wait for them', () => {
  const there = (n: number) => (n < 40 ? '127.0.0.30' : '127.0.0.31');

  test('who sign in', async () => {
    const answers = await cluster.db.transaction().execute(async (trx) => {
      await sql`lock table login_attempts in access exclusive mode`.execute(trx);
      const tried = (n: number) =>
        attempts(1, () => ({ base: apiOf(0), email: `requester-${n}@quarry.test`, from: there(n) }));
      const all = Array.from({ length: 40 }, (_, n) => tried(n));
      await expect.poll(waitingForLocks).toBe(8);
      all.push(tried(40));
      await expect.poll(waitingForLocks).toBe(9);
      return all;
    });
    const statuses = (await Promise.all(answers)).flat().map(({ status }) => status);
    expect(statuses.at(-1)).toBe(401);
    expect(statuses.filter((status) => status === 401)).toHaveLength(11);
  });

  test('whose session is read', async () => {
    const owned = await cluster.createKey(100, password);
    const body = { email: owned.email, password };
    const from = '127.0.0.32';
    const signedIn = await post(apiOf(0), '/api/auth/sign-in/email', body, { from });
    const Cookie = signedIn.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    const answers = await cluster.db.transaction().execute(async (trx) => {
      await sql`lock table sessions in access exclusive mode`.execute(trx);
      const create = (n: number) =>
        post(apiOf(0), '/api/keys', { name: '' }, { from: there(n), headers: { Cookie } });
      const all = Array.from({ length: 40 }, (_, n) => create(n));
      await expect.poll(waitingForLocks).toBe(8);
      all.push(create(40));
      await expect.poll(waitingForLocks).toBe(9);
      return all;
    });
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses).toEqual(Array(41).fill(400));
  });
});

test('a body of more than 16 KiB is not read', async () => {
  const sign = (text: string) =>
    post(
      apiOf(0),
      '/api/auth/sign-in/email',
      { email: 'a@quarry.test', password: text },
      { from: '127.0.0.33' },
    );
  expect((await sign('x'.repeat(16_000))).status).toBe(400);
  const { status, body } = await sign('x'.repeat(16_400));
  expect({ status, body }).toMatchObject({ status: 413, body: { code: 'body_too_large' } });
  expect(body['detail']).toContain('16 KiB (16,384 bytes)');
});

test('many sign-ups from one address are refused, and sign-ins there are not', async () => {
  const from = '127.0.0.9';
  const account = { email: 'many@quarry.test', password: 'short', name: 'Many' };
  const signUp = () => post(behindProxy.url, '/api/auth/sign-up/email', account, { from });
  for (let n = 0; n < 10; n++) expect((await signUp()).status).toBe(400);
  const { status, body } = await signUp();
  expect({ status, body }).toMatchObject({ status: 429, body: { code: 'too_many_attempts' } });
  expect(body['detail']).toMatch(/^Too many sign-ups from your address\. Try again in \d+ s\.$/);
  expect(checked(await attempts(1, () => ({ base: behindProxy.url, email: account.email, from })))).toBe(1);
});

describe('behind a proxy that ends TLS', () => {
  const from = '127.0.0.8';

  test('the cookie is bound to the host and sent over TLS only; the public origin alone is the own one', async () => {
    const owned = await cluster.createKey(100, password);
    const body = { email: owned.email, password };
    const path = '/api/auth/sign-in/email';
    const signedIn = await post(behindProxy.url, path, body, {
      from,
      headers: { Origin: 'https://quarry.example' },
    });
    expect(signedIn.status).toBe(200);
    const [cookie = ''] = signedIn.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^__Host-quarry\.session_token=/);
    for (const part of ['Secure', 'HttpOnly', 'SameSite=Lax', 'Path=/']) expect(cookie).toContain(part);
    expect(cookie).not.toContain('Domain');

    const create = (Origin: string) =>
      post(
        behindProxy.url,
        '/api/keys',
        { name: 'x' },
        { from, headers: { Origin, Cookie: cookie.split(';')[0] ?? '' } },
      );
    expect((await create('https://quarry.example')).status).toBe(201);
    for (const origin of ['http://quarry.example', behindProxy.url, 'https://quarry.example.evil.test'])
      expect((await create(origin)).status).toBe(403);
  });

  test('open sign-up makes users without license, and never admins', async () => {
    const account = { email: 'new@quarry.test', password: 'long enough', name: 'New' };
    const path = '/api/auth/sign-up/email';
    const signUp = (body: unknown) => post(behindProxy.url, path, body, { from });
    expect((await signUp({ ...account, password: 'short' })).body).toMatchObject({ status: 400 });
    const asAdmin = await signUp({ ...account, email: 'boss@quarry.test', role: 'admin' });
    if (asAdmin.status === 200) expect(asAdmin.body['user']).toMatchObject({ role: 'user' });
    const made = await signUp(account);
    expect(made.status).toBe(200);
    const [cookie = ''] = made.headers['set-cookie'] ?? [];
    const create = await post(
      behindProxy.url,
      '/api/keys',
      { name: 'x' },
      { from, headers: { Cookie: cookie.split(';')[0] ?? '' } },
    );
    expect(create.body).toMatchObject({ status: 403, code: 'license_required' });
    const roles = await cluster.db.selectFrom('users').select('role').distinct().execute();
    expect(roles).toEqual([{ role: 'user' }]);
  });
});
