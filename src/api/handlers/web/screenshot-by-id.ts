import { screenshot } from '../../../shared/contracts/web/screenshot.ts';
import { screenshotById } from '../../../shared/contracts/web/screenshot-by-id.ts';
import { screenshotRecord } from '../../../shared/schemas/screenshot.ts';
import { AppError } from '../../../shared/errors.ts';
import { defineHandler, FileAnswer, JobAnswer } from '../../handler.ts';
import { getOwnJob } from '../../own-job.ts';
import { clientStatusOf } from '../../presenter.ts';

export default defineHandler(
  screenshotById,
  async ({ input, principal, deps, presenter, origin, wantsImage }) => {
    const row = await getOwnJob(deps, principal, input.id);
    if (row.operation !== screenshot.id) {
      throw new AppError(
        'not_found',
        `Job ${row.id} is a ${row.operation}, not a screenshot. Ask /api/proxy/jobs/${row.id}.`,
      );
    }
    const status = clientStatusOf(row);
    if (status === 'queued' || status === 'running') {
      if (wantsImage) {
        throw new AppError(
          'not_acceptable',
          `The picture is not there yet: the job is ${status}. Ask again in a moment, or ask for application/json.`,
          {
            retryAfterSeconds: 1,
          },
        );
      }
      return new JobAnswer(row, screenshotRecord.parse(presenter.recordOf(row, origin)));
    }
    const record = screenshotRecord.parse(presenter.dataOf(row, origin));
    if (!wantsImage || row.image_blob_id === null) return new JobAnswer(row, record);
    return new FileAnswer(row.image_blob_id, { 'X-Screenshot-Id': row.id });
  },
);
