import { renderPage } from '../../../shared/contracts/page/render.ts';
import { defineHandler } from '../../handler.ts';
import { loadPage } from '../../page/load.ts';
import { toPageSetup } from '../../page/page-request.ts';
import { snapshotHtml } from '../../page/snapshot.ts';

export default defineHandler(renderPage, async (input, job, tools) => {
  const { signal } = job;
  await using lease = tools.openLease({ signal, verifyTls: input.verifyTls });
  return await tools.chromium().withPage({ ...toPageSetup(input), lease, signal }, async (page) => {
    const loaded = await loadPage(page, {
      url: input.url,
      timeoutMs: input.timeout,
      lease,
      ...(input.waitFor === undefined ? {} : { waitFor: input.waitFor }),
    });
    const snapshot = await snapshotHtml(page);
    return {
      finalUrl: loaded.finalUrl,
      statusCode: loaded.statusCode,
      headers: loaded.headers,
      contentType: loaded.contentType,
      title: snapshot.title,
      html: snapshot.html,
      truncated: snapshot.truncated,
      bytes: lease.bytesReceived,
      redirects: loaded.redirects,
      warnings: loaded.warnings,
    };
  });
});
