import { defineHandler } from '../../../../../src/workers/handler.ts';
import { letters } from '../../contracts/test/letters.ts';

export default defineHandler(letters, async ({ count, parts }, job) => {
  const answers = await job.callAll(
    letters,
    parts.map((length) => ({ count: length })),
  );
  return { letters: 'a'.repeat(count), parts: answers.map((one) => (one.ok ? 'ok' : one.error.code)) };
});
