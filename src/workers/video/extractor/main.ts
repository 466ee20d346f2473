/**
 * A process of its own for one question to a platform. What it reads is foreign (scripts, JSON, HTML, media): here it
 * may take its time and its memory, and be killed. Its requests go to the egress lease's proxy, which stands in its
 * environment; it holds no secret but those of the platform, and may neither write files nor start programs.
 */
import { text } from 'node:stream/consumers';
import { AppError, toStoredError } from '../../../shared/errors.ts';
import { FetchFailed } from '../platforms/answers.ts';
import { platforms } from '../platforms/platforms.ts';
import type { Platform, PlatformContext } from '../platforms/platform.ts';
import { readYtDlp } from '../platforms/yt-dlp/read-yt-dlp.ts';
import type { ExtractorAnswer, ExtractorRequest } from './protocol.ts';

async function getPlatform(name: string): Promise<Platform> {
  const platform = await platforms[name]?.();
  if (platform === undefined) throw new Error(`There is no platform ${name}`);
  return platform;
}

function unsupported(platform: string, what: string): AppError {
  return new AppError('platform_unsupported', `${what} cannot be read from the platform ${platform}.`);
}

async function answer(request: ExtractorRequest): Promise<unknown> {
  const context: PlatformContext = { fetch, settings: request.settings };
  if (request.task === 'read-yt-dlp') return readYtDlp(request.json);
  const platform = await getPlatform(request.platform);
  switch (request.task) {
    case 'extract':
      return await platform.extract(new URL(request.url), context);
    case 'comments': {
      const { url, limit, sort } = request;
      if (!platform.comments) throw unsupported(platform.name, 'Comments');
      return await platform.comments(new URL(url), { limit, sort }, context);
    }
    case 'search':
      if (!platform.search) throw unsupported(platform.name, 'Search results');
      return await platform.search(request.query, request.limit, context);
    case 'captions':
      if (!platform.readCaptions) throw unsupported(platform.name, 'Captions');
      return await platform.readCaptions(request.track, context);
  }
}

function toAnswer(error: unknown): ExtractorAnswer {
  if (error instanceof AppError) return { ok: false, error: toStoredError(error) };
  if (error instanceof FetchFailed) return { ok: false, unanswered: error.url };
  throw error;
}

const request = JSON.parse(await text(process.stdin)) as ExtractorRequest;
const reply: ExtractorAnswer = await answer(request).then((value) => ({ ok: true, value }), toAnswer);
// Connections that are kept open, and readers that nobody waits for, must not hold the process.
process.stdout.write(JSON.stringify(reply), () => process.exit(0));
