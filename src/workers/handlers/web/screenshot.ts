import { createHash } from 'node:crypto';
import { screenshot } from '../../../shared/contracts/web/screenshot.ts';
import { defineHandler } from '../../handler.ts';
import { createAdFilter, noticeAds } from '../../page/ad-filter.ts';
import { dismissCookieBanner } from '../../page/cookie-banner.ts';
import { deviceSetupOf } from '../../page/device.ts';
import { noticeLosses } from '../../page/lease-notices.ts';
import { loadPage } from '../../page/load.ts';
import { toPageSetup } from '../../page/page-request.ts';
import { printPdf } from '../../page/pdf.ts';
import { captureScreenshot } from '../../page/screenshot.ts';

export default defineHandler(screenshot, async (input, job, tools) => {
  const { signal } = job;
  const { url, darkMode, timeZone, format, selector, css, waitFor } = input;
  const adFilter = input.blockAds ? createAdFilter(url) : undefined;
  await using lease = tools.openLease({ signal, verifyTls: input.verifyTls, ...adFilter });
  const setup = {
    ...deviceSetupOf(input),
    ...toPageSetup(input),
    ...(timeZone === undefined ? {} : { timeZone }),
    darkMode,
    lease,
    signal,
  };
  return await tools.chromium().withPage(setup, async (page) => {
    const wait = waitFor === undefined ? {} : { waitFor };
    const loaded = await loadPage(page, { url, timeoutMs: input.timeout, lease, adFilter, ...wait });
    const banner = input.blockCookieBanners ? await dismissCookieBanner(page) : [];
    const preparation = {
      maxHeight: input.maxHeight,
      hideSelectors: input.hideSelectors,
      hiddenHosts: [...lease.turnedAway.keys()],
      delay: input.delay,
      timeoutMs: 30_000 + input.delay,
      ...(css === undefined ? {} : { css }),
    };
    const shot =
      format === 'pdf'
        ? await printPdf(page, preparation)
        : await captureScreenshot(page, {
            ...preparation,
            format,
            quality: input.quality,
            fullPage: input.fullPage,
            ...(selector === undefined ? {} : { selector }),
          });
    const missing = [...noticeAds(lease.turnedAway), ...noticeLosses(lease)];
    for (const { code, message } of [...loaded.warnings, ...missing, ...banner, ...shot.warnings])
      job.warn(code, message);
    return {
      blobId: job.keepImage(format === 'pdf' ? 'application/pdf' : `image/${format}`, shot.image),
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
