import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createPlainServer, type Server } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { strangerCertificate, testKey } from './egress-certificates.ts';

/** A site over HTTPS with a page that has everything wrong and one that has nothing wrong. Its certificate is nobody's. */
export interface ReviewSite extends AsyncDisposable {
  origin: string;
  /** Requests of the page, in order. */
  requests: string[];
}

/** What is planted in `/faulty`, by the id of the issue that must name it. */
export const plantedFaults = [
  'image-alt',
  'image-alternative-missing',
  'image-alternative-file-name',
  'image-broken',
  'unsized-images',
  'title-missing',
  'document-title',
  'description-missing',
  'meta-description',
  'h1-missing',
  'heading-skipped',
  'heading-empty',
  'language-mismatch',
  'structured-data-invalid',
  'social-card-incomplete',
  'link-broken',
  'link-empty',
  'link-name',
  'button-name',
  'label',
  'select-name',
  'frame-title',
  'tabindex',
  'meta-viewport',
  'color-contrast',
  'cumulative-layout-shift',
  'render-blocking-insight',
  'errors-in-console',
  'doctype',
  'charset',
  'is-crawlable',
  'paste-preventing-inputs',
  'hsts-missing',
  'csp-missing',
  'framing-allowed',
  'nosniff-missing',
  'referrer-policy-missing',
  'version-exposed',
  'security-txt-missing',
  'cookie-not-secure',
  'cookie-not-httponly',
  'cookie-no-samesite',
  'mixed-content',
  'insecure-form',
  'integrity-missing',
] as const;

const prose = [
  'The harbour lies on the north side of the bay. Small boats go out from it each morning, and they come back before noon.',
  'In summer the water is warm. People swim from the long stone wall, and children jump from it into the sea.',
  'The market opens at eight. You can buy fish there, and bread, and fruit from the farms on the hill.',
  'A narrow path leads up to the old light. It takes half an hour to walk, and the view from the top is wide.',
  'In winter the wind is strong. The boats stay in, and the people mend their nets by the fire.',
  'The last bus back to the town leaves at nine. If you miss it, there is a small inn beside the church.',
];

const words = prose.map((text) => `<p>${text}</p>`).join('\n');

/** No doctype, no charset, and what its list above says. */
const faultyPage = (plainOrigin: string, otherOrigin: string) => `<html lang="de"><head>
<meta name="viewport" content="width=device-width, user-scalable=no">
<meta name="robots" content="noindex">
<link rel="stylesheet" href="/slow.css">
<script src="/slow.js"></script>
<script src="${otherOrigin}/other.js" defer></script>
<script type="application/ld+json">{"@type": "Article", "headline": }</script>
</head><body>
<h2>The harbour</h2>
<h4>A level was left out</h4>
<h3></h3>
<div id="top"></div>
${words}
<p style="color:#bbb;background:#fff">This line is far too faint to be read by most of us.</p>
<img src="/picture.png">
<img src="/picture.png" alt="DSC_0042.jpg">
<img src="/no-such-picture.png" alt="A picture that is missing">
<img src="${plainOrigin}/picture.png" alt="A picture over plain HTTP">
<a href="/no-such-page">A page that is gone</a>
<a href="/clean"></a>
<button></button>
<div><template shadowrootmode="open"><a href="/no-such-part">A link of a component</a></template></div>
<form action="${plainOrigin}/send"><input type="text" name="q" onpaste="return false"><select name="s"><option>One</option></select></form>
<a href="/clean" tabindex="5">The other page</a>
<iframe src="/frame"></iframe>
<script>
// What moves before anything was drawn is no shift.
new PerformanceObserver((_, watching) => {
  watching.disconnect();
  setTimeout(() => { document.getElementById('top').style.height = '500px'; }, 600);
}).observe({ type: 'paint', buffered: true });
throw new Error('planted');
</script>
</body></html>`;

/** The same faults in other shapes, by the id of the issue that must name each; for our own checks alone. */
export const otherwisePlanted = [
  'title-missing',
  'description-missing',
  'language-invalid',
  'structured-data-invalid',
  'image-alternative-missing',
  'image-alternative-file-name',
  'image-broken',
  'heading-skipped',
  'link-broken',
  'link-fragment-missing',
  'mixed-content',
  'insecure-form',
  'integrity-missing',
  'csp-weak',
  'framing-allowed',
  'hsts-missing',
  'nosniff-missing',
  'referrer-policy-missing',
  'version-exposed',
  'cookie-not-secure',
  'cookie-not-httponly',
  'cookie-script-readable',
  'cookie-no-samesite',
] as const;

const otherwisePage = (plainOrigin: string, otherOrigin: string) => `<!doctype html><html lang="en_GB"><head>
<meta charset="utf-8"><title>  </title><meta name="description" content=" ">
<meta http-equiv="refresh" content="0;url=${plainOrigin}/archive.zip">
<meta http-equiv="Content-Security-Policy" content="default-src * 'unsafe-inline' data:">
<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Article",}</script>
<script type="application/ld+json; charset=utf-8">{"@context": "https://schema.org", "name": "No type"}</script>
<script type="application/ld+json">{"@type": "Article"}</script>
<link rel="stylesheet" href="${otherOrigin}/other.css" integrity="sha384-none">
<link rel="stylesheet" href="/mixed.css">
<style>ul { background: url(${plainOrigin}/in-style.png) }</style>
</head><body><h1>The harbour</h1><h2>The boats</h2><div role="heading" aria-level="4">Left out a level</div>
${words}
<img src="/picture.png" alt=" "><svg role="img" width="9" height="9"></svg><input type="image" src="/picture.png">
<img src="/picture.png" alt="IMG_2044"><img src="/page-instead" alt="A text where an image should be"><img src="" alt="No source">
<img srcset="${plainOrigin}/in-srcset.png 1x" src="/picture.png" alt="A red square">
<video poster="${plainOrigin}/in-poster.png"></video>
<iframe src="${plainOrigin}/in-frame" title="A frame"></iframe>
<script>fetch('${plainOrigin}/in-script').catch(() => {});</script>
<a href="/loop">In a circle</a> <a href="/gone">Gone</a> <a href="/error">Broken</a> <a href="https://no-such-name.invalid/">No name</a>
<a href="http://">No address</a> <a href="#nowhere">Nowhere</a> <a href="#top">Up</a>
<form action="/send"><button formaction="${plainOrigin}/send">Send</button></form>
</body></html>`;

const otherwiseHeaders = {
  'set-cookie': ['PHPSESSID=1; SameSite=None', 'theme=dark; Secure; SameSite=Sometimes'],
  'strict-transport-security': 'max-age=0',
  'content-security-policy-report-only': "default-src 'self'",
  'x-frame-options': 'ALLOWALL',
  'x-content-type-options': 'none',
  'referrer-policy': 'unsafe-url',
  'x-powered-by': 'PHP/7.4.3',
};

const cleanPage = `<!doctype html>
<html lang="en"><head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="What there is to see at the harbour in summer and winter, and how to come back in the evening.">
<meta property="og:title" content="The harbour of the bay">
<meta property="og:description" content="What there is to see at the harbour.">
<meta property="og:image" content="/picture.png">
<link rel="icon" href="/picture.png">
<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Article", "headline": "The harbour"}</script>
<img src="/picture.png" alt="" width="1" height="1">
<title>The harbour of the bay, and how to get there</title>
</head><body>
<main>
<h1>The harbour of the bay<a href="#how" aria-hidden="true" tabindex="-1"></a></h1>
${words}
<h2 id="how">How to get there</h2>
<h2><svg role="img" aria-label="In winter" width="9" height="9"></svg></h2>
<p><a href="/frame"><svg role="img" aria-label="By bus" width="24" height="24"></svg></a></p>
<p><a href="/frame" aria-labelledby="how"><img src="/picture.png" alt="" width="48" height="48"></a></p>
<p>Take the bus from the town. <a href="/frame">The timetable of the bus</a> tells when it goes.</p>
<img src="/picture.png" alt="A red square" width="64" height="64">
<div hidden><h1>The harbour</h1><h2></h2><a href="/frame"></a><img src="/picture.png"></div>
</main>
</body></html>`;

const framePage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>The timetable of the bus</title></head><body><p>It goes at eight.</p></body></html>`;

const goodHeaders = {
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'content-security-policy':
    "default-src 'none'; img-src 'self'; script-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'set-cookie': 'session=1; Path=/clean; Secure; HttpOnly; SameSite=Lax',
};

/** What belongs to the whole site and not to a page (security.txt) follows the page that was asked for last. */
export async function startReviewSite(): Promise<ReviewSite> {
  const picture = await sharp({ create: { width: 256, height: 256, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const requests: string[] = [];
  const origins = { plain: '', other: '' };
  let hasSecurityTxt = false;
  const send = (
    response: ServerResponse,
    type: string,
    body: string | Buffer,
    headers: Record<string, string | string[]> = {},
  ) => response.writeHead(200, { 'content-type': type, ...headers }).end(body);

  function answer({ url = '/' }: IncomingMessage, response: ServerResponse): void {
    requests.push(url);
    if (url === '/faulty') {
      hasSecurityTxt = false;
      send(response, 'text/html', faultyPage(origins.plain, origins.other), {
        server: 'Apache/2.4.1 (Unix)',
        'set-cookie': 'session=1; Path=/',
      });
    } else if (url === '/clean') {
      hasSecurityTxt = true;
      send(response, 'text/html; charset=utf-8', cleanPage, goodHeaders);
    } else if (url === '/otherwise') {
      const page = otherwisePage(origins.plain, origins.other);
      send(response, 'text/html; charset=utf-8', page, otherwiseHeaders);
    } else if (url === '/mixed.css')
      send(response, 'text/css', `h1 { background: url(${origins.plain}/in-sheet.png) }`);
    else if (url === '/loop') response.writeHead(302, { location: '/loop' }).end();
    else if (url === '/gone' || url === '/error') response.writeHead(url === '/gone' ? 410 : 503).end();
    else if (url === '/page-instead') send(response, 'text/html', 'No image');
    else if (url === '/archive.zip') send(response, 'application/zip', 'PK');
    else if (url === '/frame') send(response, 'text/html; charset=utf-8', framePage);
    else if (url === '/picture.png')
      send(response, 'image/png', picture, { 'cache-control': 'max-age=31536000' });
    else if (url === '/slow.js' || url === '/slow.css')
      setTimeout(() => send(response, url.endsWith('js') ? 'text/javascript' : 'text/css', '/**/'), 400);
    else if (url === '/other.js') send(response, 'text/javascript', '/**/');
    else if (url === '/.well-known/security.txt' && hasSecurityTxt)
      send(response, 'text/plain', 'Contact: mailto:harbour@example.com\nExpires: 2099-01-01T00:00:00Z\n');
    else if (url === '/robots.txt') send(response, 'text/plain', 'User-agent: *\nAllow: /\n');
    else response.writeHead(404, { 'content-type': 'text/plain' }).end('none');
  }

  const secure = () => createServer({ cert: strangerCertificate, key: testKey }, answer);
  const servers: Server[] = [secure(), secure(), createPlainServer(answer)];
  const [origin = '', other = '', plain = ''] = await Promise.all(servers.map(listen));
  Object.assign(origins, { other: `https://${other}`, plain: `http://${plain}` });
  return {
    origin: `https://${origin}`,
    requests,
    async [Symbol.asyncDispose]() {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
