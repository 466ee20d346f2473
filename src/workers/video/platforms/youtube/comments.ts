import type { VideoComment, VideoComments } from '../../../../shared/schemas/video.ts';
import { AppError } from '../../../../shared/errors.ts';
import { at, countAt, findAll, findFirst, flagAt, listAt, type Loose, readCount, textAt } from '../loose.ts';
import type { CommentSort, Found } from '../platform.ts';
import { blocked } from '../answers.ts';
import { askPlayers } from './player.ts';
import type { InnertubeSession } from './session.ts';
import { channelUrl, readText } from './text.ts';

const maxPages = 8;
const maxReplyRequests = 10;

interface Thread {
  comment: VideoComment;
  /** Where its replies are asked. */
  replies: string | null;
}

/**
 * The threads first, in the platform's order; what is left of `limit` is filled with their replies. A later page
 * that does not come ends the list in place of the request.
 * @throws AppError why the video cannot be seen.
 */
export async function readComments(
  session: InnertubeSession,
  videoId: string,
  { limit, sort }: { limit: number; sort: CommentSort },
): Promise<Found<VideoComments>> {
  const next = await session.ask('next', { videoId }, 'WEB');
  const section = findAll(next, 'itemSectionRenderer').find(
    (one) => textAt(one, 'sectionIdentifier') === 'comment-item-section',
  );
  let token = firstToken(section);
  // A live stream has a chat in place of the section, and what cannot be seen neither.
  if (section === undefined) await askPlayers(session, videoId);
  if (token === null) {
    const disabled = isSwitchedOff(section);
    if (!disabled) refuseUnread(section);
    return { total: null, disabled, comments: [] };
  }
  let total: number | null = null;
  let came = false;
  let isPartial = false;
  let isKnownForm = false;
  const threads: Thread[] = [];
  let sorted = sort === 'top';
  for (let page = 0; page < maxPages && token !== null && threads.length < limit; page++) {
    const answer: unknown = await session
      .ask('next', { continuation: token }, 'WEB')
      .catch((error: unknown) => {
        if (threads.length === 0) throw error;
        return null;
      });
    if (answer === null) {
      isPartial = true;
      break;
    }
    const header = findFirst(answer, 'commentsHeaderRenderer');
    total ??= readCount(readText(header, 'countText'));
    const newest: string | null = sorted ? null : tokenOfNewest(header);
    sorted = true;
    if (newest !== null) {
      token = newest;
      continue;
    }
    const read = readThreads(answer);
    if (sort === 'new' && page === 0 && read.length > 1)
      throw notOffered(
        'YouTube offers no order by time for the comments of this video. Ask for `sort: top`.',
      );
    threads.push(...read);
    const items = continuationItems(answer);
    came ||= items.some((item) => !isFurniture(item));
    isKnownForm ||= items.length > 0;
    token = lastToken(answer);
  }
  // The number counts also comments that are held back; the answer has its header then.
  const isUnread = came || (!isKnownForm && (total ?? 0) > 0);
  if (threads.length === 0 && isUnread) throw unknownForm('tells them in a form that is not known here');
  const kept = threads.slice(0, limit);
  const replies = await readReplies(session, kept, limit - kept.length);
  isPartial ||= [...replies.values()].includes(null);
  const comments = kept.flatMap(({ comment }) => [comment, ...(replies.get(comment.id) ?? [])]);
  return { total, disabled: false, comments, ...(isPartial && { isPartial }) };
}

/** Of the video that was asked for: no failure of the platform, which would be counted against it. */
const notOffered = (detail: string): AppError => new AppError('unsupported_content', detail);

const unknownForm = (what: string): AppError =>
  new AppError('upstream_failed', `The comments could not be read: YouTube ${what}.`);

/** Beside the comments: their header, and where more are asked. */
const isFurniture = (item: Loose): boolean =>
  at(item, 'commentsHeaderRenderer') !== undefined || at(item, 'continuationItemRenderer') !== undefined;

/** A section without comments says why, or is empty. @throws AppError */
function refuseUnread(section: Loose): void {
  const items = listAt(section, 'contents');
  const message = readText(findFirst(items, 'messageRenderer'), 'text');
  if (message !== null && /not a bot/i.test(message))
    throw blocked('YouTube asks this server to prove that it is no robot before it shows comments.');
  if (message !== null && /sign in/i.test(message))
    throw notOffered('YouTube shows the comments of this video to who is signed in only.');
  if (message === null && items.length > 0) throw unknownForm('tells them in a form that is not known here');
}

/** By thread; null where they did not come. */
async function readReplies(
  session: InnertubeSession,
  threads: readonly Thread[],
  limit: number,
): Promise<Map<string, VideoComment[] | null>> {
  const found = new Map<string, VideoComment[] | null>();
  let left = limit;
  const asking = threads.filter(({ replies }) => replies !== null).slice(0, maxReplyRequests);
  for (const { comment, replies } of asking) {
    if (left <= 0) break;
    const answer: unknown = await session.ask('next', { continuation: replies }, 'WEB').catch(() => null);
    if (answer === null) {
      found.set(comment.id, null);
      continue;
    }
    const byKey = entitiesOf(answer);
    const models = continuationItems(answer).map((item) => at(item, 'commentViewModel'));
    const read = models.flatMap((model) => readComment(model, byKey, comment.id) ?? []).slice(0, left);
    left -= read.length;
    found.set(comment.id, read);
  }
  return found;
}

function continuationItems(answer: Loose): Loose[] {
  return listAt(answer, 'onResponseReceivedEndpoints').flatMap((endpoint) => [
    ...listAt(endpoint, 'reloadContinuationItemsCommand', 'continuationItems'),
    ...listAt(endpoint, 'appendContinuationItemsAction', 'continuationItems'),
  ]);
}

function entitiesOf(answer: Loose): Map<string, Loose> {
  const byKey = new Map<string, Loose>();
  for (const entity of findAll(at(answer, 'frameworkUpdates'), 'commentEntityPayload')) {
    const key = textAt(entity, 'key');
    if (key !== null) byKey.set(key, entity);
  }
  return byKey;
}

function readThreads(answer: Loose): Thread[] {
  const byKey = entitiesOf(answer);
  return continuationItems(answer).flatMap((item) => {
    const thread = at(item, 'commentThreadRenderer');
    const comment = readComment(at(thread, 'commentViewModel', 'commentViewModel'), byKey, null);
    return comment === null ? [] : [{ comment, replies: firstToken(at(thread, 'replies')) }];
  });
}

function readComment(model: Loose, byKey: Map<string, Loose>, parentId: string | null): VideoComment | null {
  const entity = byKey.get(textAt(model, 'commentKey') ?? '');
  const id = textAt(entity, 'properties', 'commentId') ?? textAt(model, 'commentId');
  if (id === null || entity === undefined) return null;
  const author = at(entity, 'author');
  const authorId = textAt(author, 'channelId');
  const handle = textAt(author, 'channelCommand', 'innertubeCommand', 'browseEndpoint', 'canonicalBaseUrl');
  return {
    id,
    parentId,
    author: { id: authorId, name: textAt(author, 'displayName'), url: channelUrl(authorId, handle) },
    text: readText(entity, 'properties', 'content') ?? '',
    likes: readLikes(at(entity, 'toolbar', 'likeCountNotliked')),
    publishedAt: null,
    publishedText: textAt(entity, 'properties', 'publishedTime'),
    pinned: textAt(model, 'pinnedText') !== null,
    byUploader: flagAt(author, 'isCreator') ?? false,
  };
}

/** A blank text stands for none. */
const readLikes = (told: Loose): number | null =>
  typeof told === 'string' ? (told.trim() === '' ? 0 : readCount(told)) : countAt(told);

const tokenOf = (item: Loose): string | null =>
  textAt(item, 'continuationEndpoint', 'continuationCommand', 'token') ??
  textAt(item, 'button', 'buttonRenderer', 'command', 'continuationCommand', 'token');

const firstToken = (value: Loose): string | null => tokenOf(findFirst(value, 'continuationItemRenderer'));

function lastToken(answer: Loose): string | null {
  return tokenOf(at(continuationItems(answer).at(-1), 'continuationItemRenderer'));
}

function tokenOfNewest(header: Loose): string | null {
  const items = listAt(header, 'sortMenu', 'sortFilterSubMenuRenderer', 'subMenuItems');
  return textAt(items[1], 'serviceEndpoint', 'continuationCommand', 'token');
}

const isSwitchedOff = (section: Loose): boolean =>
  /turned off|disabled/i.test(readText(findFirst(section, 'messageRenderer'), 'text') ?? '');
