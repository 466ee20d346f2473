import { createHash } from 'node:crypto';
import { screenshot } from '../../../shared/contracts/web/screenshot.ts';
import { defineHandler } from '../../handler.ts';
import { loadPage } from '../../page/load.ts';
import { toPageSetup } from '../../page/page-request.ts';
import { captureScreenshot } from '../../page/screenshot.ts';

export default defineHandler(screenshot, async (input, job, tools) => {
  const { signal } = job;
  const { width, height, deviceScaleFactor, darkMode, format, quality, fullPage, maxHeight, selector } =
    input;
  await using lease = tools.openLease({ signal, verifyTls: input.verifyTls });
  const setup = {
    ...toPageSetup(input),
    viewport: { width, height, deviceScaleFactor, mobile: false },
    darkMode,
    lease,
    signal,
  };
  return await tools.chromium().withPage(setup, async (page) => {
    const loaded = await loadPage(page, {
      url: input.url,
      timeoutMs: input.timeout,
      lease,
      ...(input.waitFor === undefined ? {} : { waitFor: input.waitFor }),
    });
    const shot = await captureScreenshot(page, {
      format,
      quality,
      fullPage,
      maxHeight,
      ...(selector === undefined ? {} : { selector }),
    });
    for (const { code, message } of [...loaded.warnings, ...shot.warnings]) job.warn(code, message);
    return {
      blobId: job.keepImage(`image/${format}`, shot.image),
      finalUrl: loaded.finalUrl,
      statusCode: loaded.statusCode,
      title: loaded.title,
      format,
      width: shot.width,
      height: shot.height,
      bytes: shot.image.length,
      sha256: createHash('sha256').update(shot.image).digest('hex'),
      truncated: shot.truncated,
    };
  });
});
