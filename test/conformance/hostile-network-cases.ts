import type { Answer } from './asking.ts';
import {
  type Check,
  deadlineMs,
  first,
  holds,
  inTime,
  isError,
  isNeither500,
  overheadMs,
  tell,
  warns,
  type HostileContext,
  type Verdict,
} from './hostile-verdicts.ts';

/** Targets that do harm by how they answer; the name is the case's id. */
export const hostileNetworkCases: Record<string, Check> = {
  'redirect-loop': async ({ read, browse }) =>
    first([
      isError(await read('/redirect-loop'), ['too_many_redirects'], 2_000),
      isError(await browse('/redirect-loop'), ['too_many_redirects'], 2_000),
    ]),
  'redirect-long': async ({ read, browse }) =>
    first(
      [await read('/redirect-hops'), await browse('/redirect-hops')].map((answer) =>
        holds(
          answer,
          ({ finalUrl, redirects }) => finalUrl.endsWith('/article') && redirects.length === 15,
          'finalUrl, 15 hops',
        ),
      ),
    ),
  'never-answers': async ({ read, browse }) =>
    first(
      (await Promise.all([read('/never-answers'), browse('/never-answers')])).map((answer) =>
        isError(answer, ['target_timeout'], 10_000 + 2 * overheadMs),
      ),
    ),
  'slow-body': async ({ read, browse }) => {
    const [plain, rendered] = await Promise.all([
      read('/slow-body', { timeout: deadlineMs }),
      browse('/slow-body', { timeout: deadlineMs }),
    ]);
    return first([
      plain.code === 'target_timeout' ? null : holds(plain, ({ truncated }) => truncated, 'truncated'),
      holds(rendered, ({ html }) => html.includes('The beginning'), 'the html so far'),
      warns(rendered, 'page_never_settled'),
      inTime(plain),
      inTime(rendered),
    ]);
  },
  'huge-body': (context) => staysSmall(context, '/huge-body'),
  'brotli-zstd-bomb': async (context) =>
    first([
      await staysSmall(context, '/bomb?as=gzip'),
      await staysSmall(context, '/bomb?as=br'),
      await staysSmall(context, '/bomb?as=zstd'),
      await staysSmall(context, '/bomb?as=nested'),
    ]),
  'lying-length': async ({ read, browse }) => {
    for (const path of ['/length-too-large', '/length-too-small']) {
      for (const answer of [await read(path), await browse(path)]) {
        const isPart = answer.code === null && /Short|Long/.test(answer.data.html ?? '');
        const isSaid = isPart && (path.endsWith('small') || answer.data.truncated === true);
        if (!isSaid && answer.code !== 'target_protocol_error') return tell(path, answer);
      }
    }
    return null;
  },
  'not-http': async ({ read, browse }) =>
    first([
      isError(await read('/not-http'), ['target_protocol_error']),
      isError(await browse('/not-http'), ['target_protocol_error']),
    ]),
  'bad-status': async ({ read, browse }) => {
    for (const code of ['999', '199', '-1', '20', 'abc']) {
      for (const answer of [
        await read(`/raw-status?code=${code}`),
        await browse(`/raw-status?code=${code}`),
      ]) {
        if (answer.status === 500 || answer.ms > 12_000) return tell(code, answer);
      }
    }
    return null;
  },
  '404-500': async ({ read, browse }) => {
    for (const code of [404, 500]) {
      for (const answer of [await read(`/status?code=${code}`), await browse(`/status?code=${code}`)]) {
        if (answer.data.statusCode !== code) return tell(String(code), answer);
      }
    }
    return null;
  },
  download: async ({ read, browse, shoot }) =>
    first([
      isError(await browse('/attachment'), ['unsupported_content']),
      isError(await shoot('/attachment'), ['unsupported_content']),
      isNeither500(await read('/attachment')),
    ]),
  'zip-octet': async ({ read, browse }) =>
    first([
      isError(await read('/archive.zip'), ['unsupported_content']),
      isError(await browse('/archive.zip'), ['unsupported_content']),
    ]),
  'image-direct': async ({ shoot, read }) =>
    first([
      holds(await shoot('/image.png'), ({ width }) => width === 1280, 'a picture'),
      isError(await read('/image.png'), ['unsupported_content']),
    ]),
  'json-text': async ({ read }) =>
    first([
      holds(await read('/data.json'), ({ html }) => html === '{"slate":"blue","tons":12}', 'the raw JSON'),
      holds(await read('/text.txt'), ({ html }) => html === 'Plain text, one line.\n', 'the raw text'),
    ]),
  'http-auth': async ({ read, browse }) =>
    first(
      [await read('/basic-auth'), await browse('/basic-auth')].map((answer) =>
        holds(
          answer,
          ({ statusCode, html }) => statusCode === 401 && html.includes('Sign in first'),
          '401 with its body',
        ),
      ),
    ),
  'bad-certificate': async ({ ask, tls }) => {
    for (const url of [tls.stranger, tls.expired]) {
      for (const render of ['http', 'browser']) {
        const answer = await ask('scrape', { url, render });
        if (answer.code !== 'target_tls_failed' || answer.detail.length < 20)
          return tell(`${render} ${url}`, answer);
        const trusting = await ask('scrape', { url, render, verifyTls: false });
        if (trusting.data.title !== 'Over TLS') return tell(`verifyTls: false ${render} ${url}`, trusting);
      }
    }
    return null;
  },
  'tls-old': async ({ ask, tls }) =>
    first([
      isError(await ask('scrape', { url: tls.outdated, render: 'http' }), ['target_tls_failed']),
      isError(await ask('scrape', { url: tls.outdated, render: 'browser' }), ['target_tls_failed']),
    ]),
  'no-charset': async ({ read, browse }) => {
    for (const [encoding, word] of Object.entries({
      shift_jis: 'こんにちは世界',
      gbk: '欢迎光临',
      'windows-1251': 'Привет',
    })) {
      for (const answer of [
        await read(`/no-charset?in=${encoding}`),
        await browse(`/no-charset?in=${encoding}`),
      ]) {
        if (!String(answer.data.html).includes(word)) return tell(encoding, answer);
      }
    }
    return null;
  },
  'invalid-utf8': async ({ read, browse }) =>
    first(
      [await read('/invalid-utf8'), await browse('/invalid-utf8')].map((answer) =>
        holds(answer, ({ html }) => html.includes('\ufffd'), 'replacement characters'),
      ),
    ),
  'nul-bytes': async ({ read, browse }) =>
    first(
      [await read('/nul-bytes'), await browse('/nul-bytes')].map((answer) =>
        holds(answer, ({ html }) => /fore/.test(html) && /wards/.test(html), 'the text'),
      ),
    ),
  cloaking: async ({ read, browse }) =>
    first(
      [await read('/cloaking'), await browse('/cloaking')].map((answer) =>
        holds(answer, ({ title }) => title === 'For browsers', 'what a browser gets'),
      ),
    ),
  'early-hints-1xx': async ({ read, browse }) => {
    for (const answer of [await read('/early-hints'), await browse('/early-hints')]) {
      if (answer.data.title !== 'After the hints' && answer.code !== 'target_protocol_error')
        return tell('hints', answer);
    }
    return null;
  },
  'set-cookie-flood': async ({ read, browse }) => {
    for (const answer of [await read('/cookie-flood'), await browse('/cookie-flood')]) {
      if (answer.data.title !== 'Cookies' && answer.code !== 'target_protocol_error')
        return tell('flood', answer);
    }
    return null;
  },
};

async function staysSmall(context: HostileContext, path: string): Promise<Verdict> {
  const [read, readMb] = await measureGrowth(context, () => context.read(path));
  const [rendered, renderedMb] = await measureGrowth(context, () => context.browse(path));
  for (const answer of [read, rendered]) {
    if (answer.code !== 'target_too_large') return tell(`${path}: not target_too_large`, answer);
  }
  if (readMb > 300) return `${path}: memory grew by ${readMb} MB`;
  // Chromium holds a document several times over before it can be stopped; its bound of 2 GiB is looked at twice a second.
  return renderedMb > 2_600 ? `${path}: memory grew by ${renderedMb} MB in the browser` : null;
}

async function measureGrowth(
  context: HostileContext,
  run: () => Promise<Answer>,
): Promise<[answer: Answer, grownMb: number]> {
  const before = context.memoryBytes();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, context.memoryBytes())), 100);
  const answer = await run();
  clearInterval(timer);
  return [answer, Math.round((most - before) / 1024 ** 2)];
}
