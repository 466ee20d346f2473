import type { z } from 'zod';
import { renderPage } from '../../../shared/contracts/page/render.ts';
import type { OutputOf } from '../../../shared/operation.ts';
import { defineHandler } from '../../handler.ts';
import { fetchSource } from '../../page/fetch/fetch-source.ts';
import { isShareable } from '../../page/page-query.ts';
import { snapshotHtml } from '../../page/load/snapshot.ts';
import { type LoadTools, withLoadedPage } from '../../page/load/with-loaded-page.ts';
import type writeOutTags from '../../page/html/write-out-tags.ts';
import { findXmlSource } from '../../page/html/xml-source.ts';
import { defineTask, type TaskPool } from '../../../shared/tasks/task.ts';
import type { Reading } from '../../page/page-reader.ts';

const writeOutTask = defineTask<typeof writeOutTags>(
  new URL('../../page/html/write-out-tags.ts', import.meta.url),
);

/** For the document of a page whose time is over. */
const leastReadingMs = 4_000;

async function render(
  input: z.output<typeof renderPage.input>,
  tools: LoadTools & { readonly tasks: TaskPool },
  { signal, owner }: Reading,
): Promise<OutputOf<typeof renderPage>> {
  return await withLoadedPage(
    input,
    { tools, signal },
    async ({ page, loaded, lease, leftMs, loadWarnings }) => {
      const { finalUrl, statusCode, headers, contentType, redirects } = loaded;
      const shown = await snapshotHtml(page, { timeoutMs: leftMs(leastReadingMs) });
      const hops = [...redirects.map(({ url }) => url), finalUrl];
      const isWithin = hops.every((url) => URL.parse(url)?.origin === URL.parse(input.url)?.origin);
      // What is for the first origin only is for no other that the page has led to.
      const asked = isWithin ? input : { ...input, headers: undefined, cookies: undefined };
      const source = await findXmlSource(
        loaded,
        shown,
        () => {
          const timeoutMs = leftMs(leastReadingMs);
          return fetchSource(lease, { ...asked, url: finalUrl, status: statusCode, timeoutMs });
        },
        (xhtml) => tools.tasks.run(writeOutTask, xhtml, { signal, owner }),
      );
      return {
        finalUrl,
        statusCode,
        headers,
        contentType,
        title: shown.title,
        html: source?.text ?? shown.html,
        charset: source?.charset ?? shown.charset,
        kind: source?.kind ?? ('html' as const),
        truncated: shown.truncated || loaded.truncated,
        bytes: lease.bytesReceived,
        redirects,
        warnings: [...loadWarnings(), ...(source?.warnings ?? [])],
      };
    },
  );
}

/** The same page that is being rendered for another job of the user is not rendered twice. */
export default defineHandler(renderPage, async (input, job, tools) => {
  const key = isShareable(input) ? `${job.userId} ${JSON.stringify(input)}` : job.jobId;
  return await tools.renders.join(key, job.signal, (signal) =>
    render(input, tools, { signal, owner: job.userId }),
  );
});
