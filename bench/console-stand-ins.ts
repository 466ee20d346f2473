import { startModelServer } from '../test/support/model-server.ts';
import { startMediaFiles } from '../test/support/media-files.ts';
import { startOrigin } from '../test/support/egress-origin.ts';
import { searxngService, suggestService } from '../test/support/seo-services.ts';
import { type Site, startSite } from '../test/support/site.ts';
import { startYoutube } from '../test/support/youtube-stand-in.ts';

export interface StandIns extends AsyncDisposable {
  site: Site;
  /** Of a talk with chapters and captions, whose media are served too. */
  videoUrl: string;
  /** What a service is started with, so that it asks these and nobody else. */
  env: Record<string, string>;
}

const said = (
  'welcome back to the workshop today we look at the old water mill which my grandfather built with his own hands ' +
  'after the great flood of the last century and the wheel is made of oak so it lasts for more than a hundred years ' +
  'but every single winter somebody has to break the ice around the wheel before the sun comes up'
).split(' ');

/** Everything that the operations of the reference ask beyond the service: a site, a video platform, a model, SEO. */
export async function startStandIns(): Promise<StandIns> {
  await using started = new AsyncDisposableStack();
  const site = started.use(await startSite());
  const media = started.use(await startMediaFiles());
  const youtube = started.use(await startYoutube(`${media.url}/fast.mp4`));
  const models = started.use(await startModelServer());
  const suggest = started.use(
    await startOrigin(suggestService('q', (query) => [`${query} online`, `buy ${query}`])),
  );
  const results = [1, 2, 3].map((n) => ({ url: `https://shop-${n}.example/`, title: `Shop ${n}` }));
  const searxng = started.use(await startOrigin(searxngService(() => ({ results }))));
  youtube.talks.set('lecture0000', {
    lengthSeconds: 12,
    chapters: [
      ['The wheel', 0],
      ['The ice', 8],
    ],
    heard: said.flatMap((_, at): [number, number, string][] =>
      at % 10 === 0 ? [[at / 6, 2, said.slice(at, at + 10).join(' ')]] : [],
    ),
  });
  const all = started.move();
  return {
    site,
    videoUrl: 'https://www.youtube.com/watch?v=lecture0000',
    env: {
      YOUTUBE_URL: youtube.url,
      VIDEO_ENGINES: 'native',
      AI_MODELS: 'compatible/small',
      COMPATIBLE_BASE_URL: `${models.origin}/v1`,
      SEARXNG_URL: searxng.url,
      SUGGEST_URLS: `google=${suggest.url}`,
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
