import { comments } from '../../../shared/contracts/video/comments.ts';
import { defineHandler } from '../../handler.ts';

export default defineHandler(comments, ({ url, limit, sort }, job, { videos }) =>
  videos.comments(url, { limit, sort }, job),
);
