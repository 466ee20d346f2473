import { comments } from '../../../shared/contracts/video/comments.ts';
import { defineHandler } from '../../handler.ts';

export default defineHandler(comments, async ({ url, limit, sort }, job, { videos }) => {
  const { isPartial, ...found } = await videos.comments(url, { limit, sort }, job);
  if (isPartial)
    job.warn(
      'comments_incomplete',
      'The platform did not send all parts: there are more. Asking again may help.',
    );
  return found;
});
