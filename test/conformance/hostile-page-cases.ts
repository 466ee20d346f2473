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

/** Pages that do harm once they run; the name is the case's id. */
export const hostilePageCases: Record<string, Check> = {
  'js-reload-loop': async ({ browse }) => {
    const answer = await browse('/reload-loop', { timeout: deadlineMs });
    return first([
      holds(answer, ({ html }) => html.includes('Reloading'), 'a snapshot'),
      warns(answer, 'page_never_settled'),
      inTime(answer),
    ]);
  },
  'js-endless-loop': ({ browse }) => endsUnresponsive(browse, '/endless-script'),
  'worker-loop': async ({ browse, shoot }) => {
    const endless = Promise.all([shoot('/endless-workers', { timeout: deadlineMs }), others(browse, 4)]);
    const [answer, busyMs] = await endless;
    const quietMs = await others(browse, 4);
    if (busyMs > 2 * quietMs + 1_000) return `others took ${busyMs} ms beside it, ${quietMs} ms without`;
    return inTime(answer, 2 * overheadMs);
  },
  'regex-bomb': ({ browse }) => endsUnresponsive(browse, '/regex-bomb'),
  beforeunload: ({ browse }) => isShown(browse, '/before-unload', 3_000),
  print: ({ browse }) => isShown(browse, '/print', 3_000),
  'svg-script': async ({ shoot, canary }) => {
    const answer = await shoot(`/scripted.svg?canary=${canary.origin}`);
    return (
      holds(answer, ({ width }) => width === 1280, 'a picture') ??
      (canary.requests.length > 0 ? 'the canary was reached' : null)
    );
  },
  'wide-page': async ({ shoot }) =>
    holds(await shoot('/wide', { fullPage: true, width: 800 }), ({ width }) => width === 800, 'width 800'),
  'infinite-scroll': async ({ shoot }) => {
    const answer = await shoot('/infinite-scroll', { fullPage: true, maxHeight: 5_000, timeout: 10_000 });
    return first([
      holds(answer, ({ height, truncated }) => height === 5_000 && truncated, '5,000 px, truncated'),
      inTime(answer, 10_000),
    ]);
  },
  'deep-dom': async ({ read, browse }) => {
    const [plain, rendered] = await Promise.all([
      read('/deep-dom'),
      browse('/deep-dom', { timeout: deadlineMs }),
    ]);
    const isWhole = plain.code === 'target_too_large' || plain.data.html?.includes('Bottom') === true;
    // Chromium's own parser takes minutes for it.
    return first([
      isWhole ? null : tell('plain', plain),
      holds(rendered, ({ html }) => html.includes('<div>'), 'the html so far'),
      inTime(rendered),
    ]);
  },
  'memory-js': async ({ shoot }) => {
    const answer = await shoot('/memory-hog', { waitFor: '20000', timeout: 30_000 });
    return isError(answer, ['page_crashed'], 32_000);
  },
  'renderer-crash': async ({ shoot, killRenderers }) => {
    const shot = shoot('/article', { waitFor: '2500' });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    if (killRenderers() === 0) return 'no page was running';
    return holds(await shot, ({ width }) => width === 1280, 'a picture after one retry');
  },
  'gpu-shader': async ({ browse, shoot }) => {
    const answer = await shoot('/gpu-shader', { timeout: deadlineMs });
    return first([inTime(answer, 5_000), isNeither500(answer), await isShown(browse, '/article', 3_000)]);
  },
  'request-flood': async ({ browse }) => {
    const [answer, besideMs] = await Promise.all([
      browse('/request-flood', { timeout: deadlineMs }),
      others(browse, 2),
    ]);
    if (besideMs > 2 * deadlineMs) return `others took ${besideMs} ms beside it`;
    return first([isNeither500(answer), inTime(answer, overheadMs)]);
  },
  'websocket-open': async ({ browse }) => {
    const answer = await browse('/socket-open', { waitFor: 'networkidle', timeout: 25_000 });
    return first([holds(answer, ({ html }) => html.includes('Here'), 'the page'), inTime(answer, 12_000)]);
  },
  'storage-leak': async ({ browse }) => seesNothing(browse),
  'opener-leak': async ({ browse }) => seesNothing(browse),
  'file-chooser': ({ browse }) => isShown(browse, '/file-chooser', 3_000),
  'protocol-handler': ({ browse }) => isShown(browse, '/other-schemes', 3_000),
  'malformed-markup': async ({ read, browse }) =>
    first(
      (await Promise.all([read, browse].map((one) => one('/malformed', { formats: ['html', 'links'] })))).map(
        (answer) =>
          holds(
            answer,
            ({ html, links }) => html.includes('A link') && (links === undefined || links.length >= 2),
            'html and links',
          ),
      ),
    ),
  'hash-change-spam': async ({ browse }) =>
    holds(await browse('/push-state'), ({ finalUrl }) => finalUrl.endsWith('/push-state'), 'the URL asked'),
};

async function endsUnresponsive(browse: HostileContext['browse'], path: string): Promise<Verdict> {
  const answer = await browse(path, { timeout: deadlineMs });
  return first([isError(answer, ['page_unresponsive']), inTime(answer)]);
}

async function isShown(browse: HostileContext['browse'], path: string, withinMs: number): Promise<Verdict> {
  const answer = await browse(path);
  if (answer.ms > withinMs) return tell(`later than ${withinMs} ms`, answer);
  return holds(answer, ({ statusCode }) => statusCode === 200, 'the page');
}

async function seesNothing(browse: HostileContext['browse']): Promise<Verdict> {
  const [, second] = await Promise.all([
    browse('/storage', { waitFor: '700' }),
    browse('/storage', { waitFor: '700' }),
  ]);
  const third = await browse('/storage', { waitFor: '200' });
  for (const answer of [second, third]) {
    if (answer?.data.title !== 'Before: ||0|0||false') return tell('not empty', answer);
  }
  return null;
}

/** Milliseconds that ordinary pages take, one after the other. */
async function others(browse: HostileContext['browse'], count: number): Promise<number> {
  const start = performance.now();
  for (let n = 0; n < count; n++) await browse('/article');
  return Math.round(performance.now() - start);
}
