import { decodeHTML } from 'entities';
import type { VideoComment, VideoComments } from '../../../../shared/schemas/video.ts';
import { ask, jsonOf } from '../answers.ts';
import { at, countAt, flagAt, isoDate, listAt, type Loose, numberAt, textAt } from '../loose.ts';
import type { CommentSort, Found, PlatformContext } from '../platform.ts';

const maxPages = 10;
const maxReplyRequests = 10;
const disabledPolicy = 2;

/**
 * The threads first; what is left of `limit` is filled with their replies. Deleted comments are left out. A later page
 * that does not come ends the list in place of the request.
 */
export async function readComments(
  api: string,
  video: Loose,
  { limit, sort }: { limit: number; sort: CommentSort },
  context: PlatformContext,
): Promise<Found<VideoComments>> {
  const policy = numberAt(video, 'commentsPolicy', 'id');
  const isDisabled = policy === null ? flagAt(video, 'commentsEnabled') === false : policy === disabledPolicy;
  if (isDisabled) return { total: null, disabled: true, comments: [] };
  const uploader = textAt(video, 'account', 'url');
  const order = sort === 'new' ? '-createdAt' : '-totalReplies';
  const threads: Loose[] = [];
  let total: number | null = null;
  let start = 0;
  let isPartial = false;
  for (let page = 0; page < maxPages && threads.length < limit; page++) {
    const url = `${api}/comment-threads?start=${start}&count=${limit}&sort=${order}`;
    const answer = await askFor(url, context).catch((error: unknown) => {
      if (threads.length === 0) throw error;
      return null;
    });
    if (answer === null) {
      isPartial = true;
      break;
    }
    const all = listAt(answer, 'data');
    total = countAt(answer, 'totalNotDeletedComments') ?? countAt(answer, 'total');
    threads.push(...all.filter((one) => flagAt(one, 'isDeleted') !== true));
    start += all.length;
    if (all.length === 0 || start >= (countAt(answer, 'total') ?? 0)) break;
  }
  const kept = threads.slice(0, limit);
  let left = limit - kept.length;
  let requests = 0;
  const comments: VideoComment[] = [];
  for (const thread of kept) {
    const comment = readComment(thread, uploader);
    if (comment === null) continue;
    comments.push(comment);
    if (left <= 0 || (countAt(thread, 'totalReplies') ?? 0) === 0 || requests++ >= maxReplyRequests) continue;
    const answer = await askFor(`${api}/comment-threads/${comment.id}`, context).catch(() => null);
    isPartial ||= answer === null;
    const replies = repliesIn(answer).flatMap((one) => readComment(one, uploader) ?? []);
    comments.push(...replies.slice(0, left));
    left -= Math.min(left, replies.length);
  }
  return { total, disabled: false, comments, ...(isPartial && { isPartial }) };
}

async function askFor(url: string, context: PlatformContext): Promise<unknown> {
  return await jsonOf(await ask(context.fetch, url), 'The instance');
}

/** All replies of a thread, those to replies among them. */
function repliesIn(answer: Loose): Loose[] {
  const found: Loose[] = [];
  const stack = listAt(answer, 'children').toReversed();
  while (stack.length > 0) {
    const node = stack.pop();
    const comment = at(node, 'comment');
    if (flagAt(comment, 'isDeleted') !== true) found.push(comment);
    stack.push(...listAt(node, 'children').toReversed());
  }
  return found;
}

const markup =
  /<\/?(?:[abisu]|br|p|span|div|em|strong|del|sub|sup|code|pre|blockquote|ul|ol|li|img|h[1-6])(?:\s[^<>]*)?\/?>/gi;

/** Comments of other instances are HTML, of their own one the words as they were written. */
function readText(text: string): string {
  const lines = text.replaceAll(/<br\s*\/?>|<\/(?:p|div|li|blockquote)>/gi, '\n');
  return decodeHTML(lines.replaceAll(markup, '')).trim();
}

function readComment(one: Loose, uploader: string | null): VideoComment | null {
  const id = numberAt(one, 'id');
  if (id === null) return null;
  const parent = numberAt(one, 'inReplyToCommentId');
  const account = at(one, 'account');
  const url = textAt(account, 'url');
  const [name, host] = [textAt(account, 'name'), textAt(account, 'host')];
  return {
    id: String(id),
    parentId: parent === null ? null : String(parent),
    author: {
      id: name === null || host === null ? name : `${name}@${host}`,
      name: textAt(account, 'displayName') ?? name,
      url,
    },
    text: readText(textAt(one, 'text') ?? ''),
    likes: null,
    publishedAt: isoDate(at(one, 'createdAt')),
    publishedText: null,
    pinned: false,
    byUploader: url !== null && url === uploader,
  };
}
