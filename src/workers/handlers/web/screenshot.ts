import { screenshot } from '../../../shared/contracts/web/screenshot.ts';
import { inlinePageUrl, screenshotFile } from '../../../shared/schemas/screenshot.ts';
import { defineHandler } from '../../handler.ts';
import { dismissCookieBanner } from '../../page/picture/cookie-banner.ts';
import { printPdf } from '../../page/picture/pdf.ts';
import { captureScreenshot } from '../../page/picture/screenshot.ts';
import { withLoadedPage } from '../../page/load/with-loaded-page.ts';

/** For a picture of a page whose time is over; one that is scrolled through waits for what only then is loaded. */
const leastDrawingMs = { window: 8_000, whole: 20_000 };

export default defineHandler(screenshot, async (input, job, tools) => {
  const { darkMode, timeZone, format, selector, css } = input;
  const setup = { darkMode, ...(timeZone === undefined ? {} : { timeZone }) };
  const { signal } = job;
  const isWindow = format !== 'pdf' && !input.fullPage && selector === undefined;
  return await withLoadedPage(
    { ...input, url: input.url ?? inlinePageUrl },
    { tools, signal, setup },
    async ({ page, loaded, leftMs, turnedAway, loadWarnings }) => {
      const banner = input.blockCookieBanners ? await dismissCookieBanner(page, loaded) : [];
      const preparation = {
        maxHeight: input.maxHeight,
        hideSelectors: input.hideSelectors,
        hiddenHosts: [...turnedAway().keys()],
        delay: input.delay,
        timeoutMs: leftMs(leastDrawingMs[isWindow ? 'window' : 'whole']) + input.delay,
        ...(css === undefined ? {} : { css }),
      };
      const shot =
        format === 'pdf'
          ? await printPdf(page, { ...preparation, ...(input.pdf && { layout: input.pdf }) })
          : await captureScreenshot(page, {
              ...preparation,
              format,
              quality: input.quality,
              fullPage: input.fullPage,
              ...(selector === undefined ? {} : { selector }),
            });
      for (const { code, message } of [...loadWarnings(), ...banner, ...shot.warnings])
        job.warn(code, message);
      const { sizeBytes, sha256 } = await job.files.write(
        screenshotFile(input),
        format === 'pdf' ? 'application/pdf' : `image/${format}`,
        shot.image,
      );
      return {
        finalUrl: loaded.finalUrl,
        statusCode: loaded.finalUrl === inlinePageUrl ? null : loaded.statusCode,
        title: loaded.title,
        format,
        width: shot.width,
        height: shot.height,
        bytes: sizeBytes,
        sha256,
        truncated: shot.truncated,
      };
    },
  );
});
