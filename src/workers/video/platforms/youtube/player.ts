import type { AppError } from '../../../../shared/errors.ts';
import { blocked, notFound } from '../answers.ts';
import { at, type Loose } from '../loose.ts';
import { findObstacle, isVerdict } from './playability.ts';
import type { ClientKind, InnertubeSession } from './session.ts';

/** What every client kind answers to in place of a warning page. */
export const consent = { contentCheckOk: true, racyCheckOk: true };

/**
 * The first client that YouTube plays the video to; where it does to none, what it says first of the video itself, else
 * what the last one was refused for.
 */
export async function askPlayers(session: InnertubeSession, videoId: string): Promise<Loose> {
  let failure: unknown = notFound();
  let verdict: AppError | null = null;
  for (const client of ['VISIONOS', 'ANDROID_VR', 'WEB'] satisfies ClientKind[]) {
    try {
      const player = await session.ask('player', { videoId, ...consent }, client);
      const obstacle = findObstacle(player);
      if (obstacle === null && at(player, 'videoDetails') !== undefined) return player;
      // Who is asked to sign in here may be let in elsewhere; what is gone is gone for all.
      failure = obstacle ?? blocked('YouTube answered without a word about the video.');
      if (obstacle !== null && isVerdict(obstacle)) verdict ??= obstacle;
      if (obstacle?.code === 'video_not_found') break;
    } catch (error) {
      failure = error;
    }
  }
  throw verdict ?? failure;
}
