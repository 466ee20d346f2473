import { urlIsAlive } from '../../../shared/contracts/web/url-is-alive.ts';
import { defineHandler } from '../../handler.ts';
import { mediaTypeOf } from '../../page/fetch/fetch-page.ts';
import { checkAlive, describeTls, readCertificate, reasonOf } from '../../url/check-alive.ts';
import { isRefusal, toWalkRequest } from '../../url/walk-redirects.ts';

const round = (ms: number | null) => (ms === null ? null : Math.round(ms * 10) / 10);

export default defineHandler(urlIsAlive, async (input, job, tools) => {
  const { signal } = job;
  const request = toWalkRequest(input, signal);
  await using lease = tools.openLease({ signal, verifyTls: input.verifyTls });
  const walk = await checkAlive(lease, request);
  const { response, failure, loop, finalUrl, hops, timings } = walk;
  if (failure !== null && isRefusal(walk)) throw failure;

  let certificate = response?.certificate ?? null;
  if (failure?.code === 'target_tls_failed') {
    await using anyCertificate = tools.openLease({ signal, verifyTls: false });
    const timeoutMs = Math.max(1_000, Math.round(request.endsAt - performance.now()));
    certificate = await readCertificate(anyCertificate, finalUrl, { timeoutMs, signal });
  }
  const verdict =
    failure !== null || response === null || loop
      ? { alive: false, reason: failure?.code ?? 'too_many_redirects' }
      : reasonOf(response.status);
  return {
    url: input.url,
    ...verdict,
    statusCode: response?.status ?? null,
    finalUrl,
    redirects: hops.length,
    responseTimeMs: response === null ? null : round(timings.answersMs),
    timings: {
      dnsMs: round(timings.dnsMs),
      connectMs: round(timings.connectMs),
      tlsMs: round(timings.tlsMs),
      ttfbMs: round(timings.firstByteMs),
    },
    tls: describeTls(certificate),
    contentType: response === null ? null : mediaTypeOf(response.headers),
    checkedAt: new Date().toISOString(),
  };
});
