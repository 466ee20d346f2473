import { urlGetUrlAfterRedirects } from '../../../shared/contracts/web/url-get-url-after-redirects.ts';
import { defineHandler } from '../../handler.ts';
import { mediaTypeOf } from '../../page/fetch/fetch-page.ts';
import { mayLeadOn } from '../../page/load/refresh.ts';
import { smallPage } from '../../page/page-reader.ts';
import { defineTask } from '../../../shared/tasks/task.ts';
import readAnswerLinks, { type PageLinks } from '../../url/read-page-links.ts';
import { isRefusal, leadsOffWeb, toWalkRequest, walkRedirects } from '../../url/walk-redirects.ts';

const readLinksTask = defineTask<typeof readAnswerLinks>(
  new URL('../../url/read-page-links.ts', import.meta.url),
);

export default defineHandler(urlGetUrlAfterRedirects, async (input, job, tools) => {
  await using lease = tools.openLease({ signal: job.signal, verifyTls: input.verifyTls });
  let links: PageLinks = { refresh: null, canonical: null };
  const walk = await walkRedirects(lease, {
    ...toWalkRequest(input, job.signal),
    method: 'GET',
    waitsForBody: input.followMeta,
    readBody: (head) =>
      (!head.headers['location'] || head.status < 300 || head.status > 399) &&
      /html|^$/.test(mediaTypeOf(head.headers) ?? ''),
    async nextInBody({ body, headers, url, status }) {
      const answer = { body, headers, url };
      const asked = { signal: job.signal, owner: job.userId };
      links =
        body.length <= smallPage
          ? readAnswerLinks(answer)
          : await tools.tasks.run(readLinksTask, answer, asked);
      return input.followMeta && mayLeadOn(status) ? links.refresh : null;
    },
  });
  const { hops, finalUrl, response, loop, failure } = walk;
  const isOwnFailure = failure !== null && (isRefusal(walk) || failure.code === 'too_many_redirects');
  if (failure !== null && (isOwnFailure || hops.length === 0)) throw failure;
  if (failure !== null)
    job.warn(
      failure.code,
      leadsOffWeb(walk)
        ? failure.detail
        : `The last redirect led to a target that did not answer. ${failure.detail}`,
    );
  const leadsOn = input.followMeta && response !== null && mayLeadOn(response.status);
  if (response?.truncated && !loop && (leadsOn ? links.refresh : links.canonical) === null)
    job.warn(
      'page_truncated',
      `The final page was read in part only, as it is long or slow: further down it may ${leadsOn ? 'lead on, or name a canonical URL' : 'name a canonical URL'}.`,
    );
  const urls = [...hops.map((hop) => hop.url), finalUrl];
  return {
    url: input.url,
    finalUrl,
    statusCode: response?.status ?? null,
    hops,
    loop,
    canonical: response === null || loop ? null : links.canonical,
    downgradedToHttp: urls.some(
      (url, index) => url.startsWith('http:') && urls[index - 1]?.startsWith('https:'),
    ),
  };
});
