import type { z } from 'zod';
import { renderPage } from '../../../shared/contracts/page/render.ts';
import type { OutputOf } from '../../../shared/operation.ts';
import { defineHandler } from '../../handler.ts';
import { createAdFilter, noticeAds } from '../../page/ad-filter.ts';
import { deviceSetupOf } from '../../page/device.ts';
import { noticeLosses } from '../../page/lease-notices.ts';
import { loadPage } from '../../page/load.ts';
import { toPageSetup } from '../../page/page-request.ts';
import { snapshotHtml } from '../../page/snapshot.ts';
import type { WorkerTools } from '../../tools.ts';

type Input = z.output<typeof renderPage.input>;

async function render(
  input: Input,
  tools: WorkerTools,
  signal: AbortSignal,
): Promise<OutputOf<typeof renderPage>> {
  const { url, waitFor } = input;
  const adFilter = input.blockAds ? createAdFilter(url) : undefined;
  await using lease = tools.openLease({ signal, verifyTls: input.verifyTls, ...adFilter });
  const setup = { ...deviceSetupOf(input), ...toPageSetup(input), lease, signal };
  return await tools.chromium().withPage(setup, async (page) => {
    const wait = waitFor === undefined ? {} : { waitFor };
    const loaded = await loadPage(page, { url, timeoutMs: input.timeout, lease, adFilter, ...wait });
    const snapshot = await snapshotHtml(page);
    return {
      finalUrl: loaded.finalUrl,
      statusCode: loaded.statusCode,
      headers: loaded.headers,
      contentType: loaded.contentType,
      title: snapshot.title,
      html: snapshot.html,
      truncated: snapshot.truncated || loaded.truncated,
      bytes: lease.bytesReceived,
      redirects: loaded.redirects,
      warnings: [...loaded.warnings, ...noticeAds(lease.turnedAway), ...noticeLosses(lease)],
    };
  });
}

/** The same page that is being rendered for another job is not rendered twice, unless it is this client's own. */
export default defineHandler(renderPage, async (input, job, tools) => {
  const isOwn = Object.keys({ ...input.headers, ...input.cookies }).length > 0;
  const key = isOwn ? job.jobId : JSON.stringify(input);
  return await tools.renders.join(key, job.signal, (signal) => render(input, tools, signal));
});
