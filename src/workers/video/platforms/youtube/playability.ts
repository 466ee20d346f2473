import { AppError, type ErrorCode } from '../../../../shared/errors.ts';
import { blocked, notFound } from '../answers.ts';
import { at, flagAt, listAt, type Loose, textAt } from '../loose.ts';
import { readText } from './text.ts';

/** Why YouTube does not play the video; null where it does. */
export function findObstacle(player: Loose): AppError | null {
  const playability = at(player, 'playabilityStatus');
  const status = textAt(playability, 'status');
  if (status === 'OK' || status === 'LIVE_STREAM_OFFLINE') return null;
  const screen = at(playability, 'errorScreen', 'playerErrorMessageRenderer');
  const texts = [
    textAt(playability, 'reason'),
    readText(screen, 'reason'),
    readText(screen, 'subreason'),
    ...listAt(playability, 'messages'),
  ];
  const reason = texts.filter((text) => typeof text === 'string').join(' ');
  if (status === null) return blocked('YouTube did not say whether the video can be played.');
  return judge(status, reason);
}

/** Whether there is nothing to play yet: a stream or premiere that is announced, or has not begun. */
export const isUpcoming = (player: Loose): boolean =>
  flagAt(player, 'videoDetails', 'isUpcoming') === true ||
  textAt(player, 'playabilityStatus', 'status') === 'LIVE_STREAM_OFFLINE';

const verdicts: ReadonlySet<ErrorCode> = new Set([
  'video_private',
  'video_age_restricted',
  'video_geo_blocked',
  'video_live_unsupported',
]);
const needsSignIn = 'The video needs a sign-in.';

/** Whether YouTube has said what is with the video; who is asked to sign in without a reason may only be taken for a robot. */
export const isVerdict = ({ code, detail }: AppError): boolean =>
  verdicts.has(code) && !detail.startsWith(needsSignIn);

function judge(status: string, reason: string): AppError {
  const told = reason === '' ? '' : ` YouTube says: ${reason.slice(0, 300)}`;
  if (/\bbot\b|unusual traffic|sign in to confirm you/i.test(reason) && !/\bage\b/i.test(reason))
    return blocked(
      `YouTube asks for a sign-in before it serves this server. The operator can set YOUTUBE_COOKIES.${told}`,
    );
  if (/\bage\b|inappropriate/i.test(reason) || /^(AGE_|CONTENT_CHECK)/.test(status))
    return new AppError('video_age_restricted', `The video is for adults who are signed in.${told}`);
  if (/try again later/i.test(reason)) return blocked(`YouTube refuses this server for a while.${told}`);
  if (/country|region|location/i.test(reason))
    return new AppError('video_geo_blocked', `The video is not shown where this server stands.${told}`);
  if (/\b(?:private|members|premium|purchase|rent(?:al|ed)?|pay(?:ment)?)\b/i.test(reason))
    return new AppError('video_private', `The video is not open to everybody.${told}`);
  if (/live/i.test(reason) && /ended|offline|begin|start/i.test(reason))
    return new AppError('video_live_unsupported', `There is no recording to play yet.${told}`);
  if (status === 'ERROR') return notFound();
  if (status === 'LOGIN_REQUIRED') return new AppError('video_private', `${needsSignIn}${told}`);
  // Of the video, not of this server; another client or engine may know better.
  return new AppError('unsupported_content', `YouTube does not play the video.${told}`);
}
