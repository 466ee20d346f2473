import { decodeHTML } from 'entities';
import type { VideoComment, VideoComments } from '../../../../shared/schemas/video.ts';
import { ask, jsonOf } from '../answers.ts';
import { at, countAt, flagAt, isoDate, listAt, type Loose, numberAt, textAt } from '../loose.ts';
import type { CommentSort, PlatformContext } from '../platform.ts';

const maxPages = 10;
const maxReplyRequests = 10;
const disabledPolicy = 2;

/** The threads first; what is left of `limit` is filled with their replies. Deleted comments are left out. */
export async function readComments(
  api: string,
  video: Loose,
  { limit, sort }: { limit: number; sort: CommentSort },
  context: PlatformContext,
): Promise<VideoComments> {
  const policy = numberAt(video, 'commentsPolicy', 'id');
  const isDisabled = policy === null ? flagAt(video, 'commentsEnabled') === false : policy === disabledPolicy;
  if (isDisabled) return { total: null, disabled: true, comments: [] };
  const uploader = textAt(video, 'account', 'url');
  const order = sort === 'new' ? '-createdAt' : '-totalReplies';
  const threads: Loose[] = [];
  let total: number | null = null;
  let start = 0;
  for (let page = 0; page < maxPages && threads.length < limit; page++) {
    const url = `${api}/comment-threads?start=${start}&count=${limit}&sort=${order}`;
    const answer = await jsonOf(await ask(context.fetch, url), 'The instance');
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
    const replies = (await askReplies(api, comment.id, context)).flatMap(
      (one) => readComment(one, uploader) ?? [],
    );
    comments.push(...replies.slice(0, left));
    left -= Math.min(left, replies.length);
  }
  return { total, disabled: false, comments };
}

/** All replies of a thread, those to replies among them. A thread that does not come has none. */
async function askReplies(api: string, threadId: string, context: PlatformContext): Promise<Loose[]> {
  const answer = await ask(context.fetch, `${api}/comment-threads/${threadId}`)
    .then((response) => jsonOf(response, 'The instance'))
    .catch(() => null);
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
