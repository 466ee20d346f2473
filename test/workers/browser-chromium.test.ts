import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createEgressDoor } from '../../src/shared/egress/door.ts';
import { loadPage } from '../../src/workers/page/load/load.ts';
import { type BrowserBench, failureOf, startBrowserBench, testDataFolder } from '../support/browser.ts';
import { startSite } from '../support/site.ts';

describe('Chromium', { timeout: 90_000 }, () => {
  let bench: BrowserBench;
  beforeAll(async () => {
    bench = await startBrowserBench();
    await bench.chromium.warmUp();
  }, 60_000);
  afterAll(() => bench[Symbol.asyncDispose]());

  const at = (path: string): string => bench.site.origin + path;

  describe('gives each job a page of its own', () => {
    it('without cookies or storage of another job', async () => {
      expect((await bench.load('/set-cookie')).title).toBe('Before: visited=yes|');
      expect((await bench.load('/set-cookie')).title).toBe('Before: visited=yes|');
    });

    it('closes it when the job ends, fails or is aborted', async () => {
      await using fresh = await startBrowserBench();
      await fresh.chromium.warmUp();
      const pid = fresh.chromium.describe()?.pid ?? 0;
      // Chromium has no page of its own.
      await expect.poll(() => countRenderers(pid), { timeout: 15_000 }).toBe(0);
      await fresh.load('/article');
      await failureOf(fresh.withPage({}, () => Promise.reject(new Error('job'))));
      const abort = new AbortController();
      const reason = new Error('The client went away');
      const job = fresh.withPage({ signal: abort.signal }, async (page, lease) => {
        setTimeout(() => abort.abort(reason), 100);
        await loadPage(page, { url: `${fresh.site.origin}/endless-script`, timeoutMs: 20_000, lease });
      });
      const started = performance.now();
      await expect(job).rejects.toBe(reason);
      expect(performance.now() - started).toBeLessThan(8_000);
      await expect.poll(() => countRenderers(pid), { timeout: 15_000 }).toBe(0);
    });

    it('keeps nothing of it', async () => {
      const listenersWithin = () =>
        bench.withPage({}, async (page) => page.browser().listenerCount('disconnected'));
      expect([await listenersWithin(), await listenersWithin()]).toEqual([1, 1]);
    });

    it('also when it was opened before the job', async () => {
      await using ahead = await startBrowserBench({ opensAhead: true });
      await ahead.chromium.warmUp();
      const pid = ahead.chromium.describe()?.pid ?? 0;
      const seen = await Promise.all(['/set-cookie', '/set-cookie'].map((path) => ahead.load(path)));
      seen.push(await ahead.load('/set-cookie'));
      expect(seen.map(({ title }) => title)).toEqual(Array(3).fill('Before: visited=yes|'));
      // That of the next job.
      await expect.poll(() => countRenderers(pid), { timeout: 15_000 }).toBe(1);
      for (const renderer of listRenderers(pid)) process.kill(renderer, 'SIGKILL');
      // Chromium tells of a page's end a moment after it; a job in that moment is tried again by its worker.
      const next = (): Promise<number> =>
        ahead.load('/article').then(
          (page) => page.statusCode,
          () => 0,
        );
      await expect.poll(next, { timeout: 15_000 }).toBe(200);
    });

    it('and no window besides', async () => {
      await bench.load('/popups');
      await sleep(200);
      expect(bench.site.hits('/popup')).toBe(0);
    });

    it('answers dialogs by itself', async () => {
      expect((await bench.load('/dialogs')).title).toBe('Dialogs: false null');
    });

    it('with the language, colours and user agent asked', async () => {
      const seen = bench.withPage(
        { locale: 'de-CH', userAgent: 'Quarry/1', darkMode: true },
        async (page, lease) => {
          await loadPage(page, { url: at('/echo'), timeoutMs: 5_000, lease });
          const sent = JSON.parse(await page.evaluate(() => document.body.innerText)) as { headers: object };
          const dark = await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches);
          return { ...sent, dark, language: await page.evaluate(() => navigator.language) };
        },
      );
      expect(await seen).toMatchObject({
        headers: { 'user-agent': 'Quarry/1', 'accept-language': 'de-CH' },
        language: 'de-CH',
        dark: true,
      });
    });

    it('never calls itself headless', async () => {
      await bench.load('/echo?headless');
      const sent = bench.site.requests.find((one) => one.path === '/echo?headless');
      expect(JSON.stringify(sent?.headers)).not.toMatch(/headless/i);
      expect(sent?.headers['accept-language']).toMatch(/^en-US/);
    });
  });

  describe('lets nothing out but by the door', () => {
    it('whatever a page tries', async () => {
      await using canary = await startSite();
      const page = await bench.load(`/leaks?canary=${canary.origin}`, { waitFor: '500' });
      expect(page.title).toBe('Leaks');
      expect(canary.requests).toEqual([]);
    });

    it('and shows no local file or page of its own', async () => {
      for (const target of ['file:///etc/passwd', 'view-source:http://127.0.0.1/', 'chrome://version']) {
        const text = await bench.withPage({}, async (page, lease) => {
          const url = at(`/local-schemes?to=${encodeURIComponent(target)}`);
          await loadPage(page, { url, waitFor: '300', timeoutMs: 5_000, lease });
          return page.evaluate(() => document.body.innerText);
        });
        expect(text.trim()).toBe('Still here');
      }
    });

    it('custom headers and cookies go to the target’s origin only', async () => {
      await using other = await startSite();
      await using door = createEgressDoor({
        allow: [`127.0.0.1:${bench.site.port}`, `127.0.0.1:${other.port}`],
      });
      for (const path of [`/two-origins?other=${other.origin}`, `/redirect?to=${other.origin}/echo`]) {
        bench.site.requests.length = 0;
        other.requests.length = 0;
        await using lease = door.openLease();
        const secrets = {
          targetUrl: at(path),
          headers: { 'X-Secret': 'abc' },
          cookies: [{ name: 'sid', value: 'c00kie' }],
        };
        await bench.chromium.withPage({ lease, ...secrets }, (page) =>
          loadPage(page, { url: at(path), timeoutMs: 5_000, lease }),
        );
        for (const { headers } of bench.site.requests) {
          expect(headers).toMatchObject({ 'x-secret': 'abc', cookie: 'sid=c00kie' });
        }
        expect(other.requests).toHaveLength(1);
        expect(JSON.stringify(other.requests[0]?.headers)).not.toMatch(/abc|c00kie/);
      }
    });
  });

  it('not even by a worker, a frame or a socket to another port of the host', async () => {
    await using other = await startSite();
    await using door = createEgressDoor({ allow: ['127.0.0.0/8'], resolve: async () => ['127.0.0.1'] });
    await using lease = door.openLease();
    const reach = (origin: string, name: string): string =>
      `fetch('${origin}/echo?${name}', { mode: 'no-cors', credentials: 'include' }); new WebSocket('${origin.replace('http', 'ws')}/echo?${name}-socket');`;
    const code = reach(bench.site.origin, 'own') + reach(other.origin, 'other');
    bench.site.serve(
      '/secrets',
      `<title>Secrets</title><script>${code} new Worker(URL.createObjectURL(new Blob([${JSON.stringify(code)}])));</script>
      <iframe src="${other.origin}/frame"></iframe><iframe src="http://elsewhere.test:${other.port}/frame"></iframe>`,
    );
    other.serve('/frame', `<title>Frame</title><script>${code}</script>`);
    bench.site.requests.length = 0;
    const secrets = {
      targetUrl: at('/secrets'),
      headers: { 'X-Secret': 'abc' },
      cookies: [{ name: 'sid', value: 'c00kie' }],
    };
    const socketOfOwn = () => bench.site.requests.find(({ path }) => path === '/echo?own-socket');
    await bench.chromium.withPage({ lease, ...secrets }, async (page) => {
      await loadPage(page, { url: at('/secrets'), timeoutMs: 20_000, waitFor: '700', lease });
      await expect.poll(() => other.requests.length).toBeGreaterThan(6);
      await expect.poll(socketOfOwn).toBeDefined();
    });
    for (const { headers, path } of other.requests)
      expect(`${headers['x-secret'] ?? ''}${headers.cookie ?? ''}`, path).toBe('');
    expect(socketOfOwn()?.headers.cookie).toBe('sid=c00kie');
  });

  describe('survives its pages', () => {
    it('a renderer that dies is page_crashed, and the next job is fine', async () => {
      const crash = bench.withPage({}, async (page, lease) => {
        await loadPage(page, { url: at('/article'), timeoutMs: 5_000, lease });
        await page.goto('chrome://crash').catch(() => {});
        return page.title();
      });
      expect((await failureOf(crash)).code).toBe('page_crashed');
      expect((await bench.load('/article')).statusCode).toBe(200);
    });

    it('is replaced after a number of jobs, by one that was started before a job had to wait for it', async () => {
      await using short = await startBrowserBench({ jobsPerBrowser: 2 });
      const pids = new Set<number | undefined>();
      await short.load('/article');
      const first = short.chromium.describe()?.pid;
      await short.load('/article');
      // The second job has asked for the successor; until it is there, the first serves.
      await expect.poll(() => short.chromium.describe()?.pid, { timeout: 10_000 }).not.toBe(first);
      pids.add(first).add(short.chromium.describe()?.pid);
      expect((await short.load('/article')).statusCode).toBe(200);
      await expect.poll(() => isRunning(first ?? 0), { timeout: 15_000 }).toBe(false);
      await short.chromium[Symbol.asyncDispose]();
      await expect
        .poll(() => [...pids].filter((pid) => isRunning(pid ?? 0)).length, { timeout: 15_000 })
        .toBe(0);
    });

    it('and no job fails by it under load', async () => {
      await using short = await startBrowserBench({ jobsPerBrowser: 3, opensAhead: true });
      const pids = new Set<number | undefined>();
      const visit = async (): Promise<void> => {
        for (let job = 0; job < 30 && pids.size < 3; job++) {
          expect((await short.load('/article')).title).toBe('How slate is split');
          pids.add(short.chromium.describe()?.pid);
        }
      };
      await Promise.all([visit(), visit(), visit(), visit()]);
      expect(pids.size).toBeGreaterThan(2);
    });

    it('a killed browser is page_crashed for its jobs, and the next job gets a new one', async () => {
      await using other = await startBrowserBench();
      const job = failureOf(other.load('/article', { waitFor: '5000' }));
      await expect.poll(() => other.site.hits('/article'), { timeout: 10_000 }).toBe(1);
      process.kill(other.chromium.describe()?.pid ?? 0, 'SIGKILL');
      expect((await job).code).toBe('page_crashed');
      expect((await other.load('/article')).statusCode).toBe(200);
    });
  });

  it('a browser that answers no more is replaced, though its pages wait patiently', async () => {
    await using stuck = await startBrowserBench({ answerWithinMs: 4_000 });
    const job = failureOf(stuck.load('/article', { waitFor: '60000', timeoutMs: 60_000 }));
    await expect.poll(() => stuck.site.hits('/article'), { timeout: 10_000 }).toBe(1);
    process.kill(stuck.chromium.describe()?.pid ?? 0, 'SIGSTOP');
    expect((await job).code).toBe('page_crashed');
    expect((await stuck.load('/article')).statusCode).toBe(200);
  });

  it('a page that does not close ends no other, and the next job gets another browser', async () => {
    await using late = await startBrowserBench();
    const pid = () => late.chromium.describe()?.pid;
    await late.chromium.warmUp();
    const first = pid();
    const over = Promise.withResolvers<void>();
    const other = late.withPage({}, async (page) => {
      await over.promise;
      return await page.evaluate(() => document.title);
    });
    await late.withPage({}, async (page) => {
      page.browserContext().close = () => new Promise(() => {});
    });
    await expect
      .poll(() => late.withPage({}, async () => pid()), { timeout: 30_000, interval: 500 })
      .not.toBe(first);
    over.resolve();
    expect(await other).toBe('');
    await expect.poll(() => isRunning(first ?? 0), { timeout: 15_000 }).toBe(false);
  });

  it('leaves no process and no profile behind when its worker is killed', async () => {
    const program = fileURLToPath(new URL('../support/browser-worker.ts', import.meta.url));
    const worker = spawn(process.execPath, [program, testDataFolder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [output] = (await once(worker.stdout, 'data')) as [Buffer];
    const pid = Number(output.toString());
    const isProfile = (name: string): boolean => name.startsWith(`quarry-chromium-${worker.pid}-`);
    expect(isRunning(pid)).toBe(true);
    expect(readdirSync(tmpdir()).filter(isProfile)).toHaveLength(1);
    worker.kill('SIGKILL');
    await expect.poll(() => listGroup(pid).length, { timeout: 15_000 }).toBe(0);
    await expect.poll(() => readdirSync(tmpdir()).filter(isProfile), { timeout: 15_000 }).toEqual([]);
  });
});

function isRunning(pid: number): boolean {
  return listGroup(pid).includes(pid);
}

/** Living processes of a group. */
function listGroup(groupId: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        // After the name in brackets: state, parent, group.
        const [state, , group] =
          readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
        return Number(group) === groupId && state !== 'Z';
      } catch {
        return false;
      }
    });
}

function countRenderers(groupId: number): number {
  return listRenderers(groupId).length;
}

function listRenderers(groupId: number): number[] {
  return listGroup(groupId).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('--type=renderer');
    } catch {
      return false;
    }
  });
}
