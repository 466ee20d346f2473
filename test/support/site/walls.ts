import { sendHtml, type SitePage } from './page.ts';

/** What sites send in place of the page. */
export const wallPages: Record<string, SitePage> = {
  '/wall/cloudflare': ({ response }) => {
    response.writeHead(403, {
      'content-type': 'text/html',
      server: 'cloudflare',
      'cf-mitigated': 'challenge',
    });
    response.end('<!doctype html><title>Just a moment...</title><div>Verifying you are human</div>');
  },
  '/wall/datadome': ({ response }) =>
    sendHtml(
      response,
      `<title>example.com</title><script>var dd={'rt':'c','host':'geo.captcha-delivery.com'}</script><script src="https://ct.captcha-delivery.com/c.js"></script>`,
      403,
    ),
  '/wall/datadome-frame': ({ response }) =>
    sendHtml(
      response,
      '<title>example.com</title><iframe src="https://geo.captcha-delivery.com/captcha/?initialCid=1"></iframe>',
    ),
  '/wall/datadome-script': ({ response }) =>
    sendHtml(
      response,
      `<title>example.com</title><script>var dd={'rt':'i','host':'geo.captcha-delivery.com'}</script>`,
      202,
    ),
  '/wall/aws-waf': ({ response }) =>
    sendHtml(
      response,
      '<title></title><script>window.gokuProps = {"key":"A","iv":"B","context":"C"}</script>',
      202,
    ),
  '/wall/imperva': ({ response }) =>
    sendHtml(response, '<iframe src="/_Incapsula_Resource?SWUDNSAI=31">Request unsuccessful.</iframe>'),
  '/wall/article': ({ response }) =>
    sendHtml(
      response,
      `<title>About walls</title><p>${'A long article that only speaks of _Incapsula_Resource and px-captcha. '.repeat(40)}</p>`,
    ),
  // Challenges and refusals.
  '/wall/anubis': ({ response }) =>
    sendHtml(
      response,
      '<title>One moment</title><script id="anubis_challenge" type="application/json">{}</script>',
    ),
  '/wall/imperva-script': ({ response }) =>
    sendHtml(
      response,
      '<html><head><meta name="robots" content="noindex"><script src="/_Incapsula_Resource?SWJIYLWA=5074"></script></head><body></body></html>',
    ),
  '/wall/cloudflare-denied': ({ response }) =>
    sendHtml(
      response,
      '<title>Access denied</title><div id="cf-error-details"><h1>Error 1020</h1></div>',
      403,
    ),
  // Short pages that only speak of them, or stand behind the same vendors.
  '/wall/question': ({ response }) =>
    sendHtml(
      response,
      '<title>Blocked by Cloudflare?</title><p>I get "Attention Required! | Cloudflare" and "Our systems have detected unusual traffic from your computer network". <code>_cf_chl_opt, px-captcha, captcha-delivery.com</code>',
    ),
  '/wall/customer': ({ response }) =>
    sendHtml(
      response,
      '<title>Shop</title><script src="/_Incapsula_Resource?SWJIYLWA=719d" async></script><script>window._pxAppId = "PX1"; window.awsWafCookieDomainList = [".shop.example"]; AwsWafIntegration.getToken()</script><meta http-equiv="Content-Security-Policy" content="img-src * https://*.captcha-delivery.com"><script src="/TSPD/08?type=17"></script><p>A small shop.',
    ),
  '/wall/origin-down': ({ response }) =>
    sendHtml(
      response,
      '<title>522: Connection timed out</title><div id="cf-error-details">Connection timed out</div>',
      522,
    ),
  '/wall/support': ({ response }) =>
    sendHtml(response, '<title>Help</title><p>Your support ID is 12. Call us.'),
  '/wall/own-login': ({ response }) => {
    response.setHeader('server', 'ddos-guard').setHeader('x-datadome', 'protected');
    sendHtml(response, '<title>Members</title><p>Members only.', 401);
  },
  '/wall/register': ({ response }) =>
    sendHtml(
      response,
      '<title>New account</title><form><input type="password" name=one><input type="password" name=again></form>',
    ),
  '/wall/moved-docs': ({ response }) => response.writeHead(301, { location: '/wall/docs/auth/' }).end(),
  '/wall/docs/auth/': ({ response }) =>
    sendHtml(response, `<title>Authentication</title><p>${'How a program signs in. '.repeat(60)}`),
  '/wall/about-parking': ({ response }) =>
    sendHtml(response, '<title>What is domain parking?</title><p>Ask sedoparking.com or bodis.com.'),
  '/wall/villa': ({ response }) =>
    sendHtml(response, '<title>Villa in St.Tropez is for sale</title><p>Rooms.'),
  '/wall/private': ({ response }) => response.writeHead(302, { location: '/wall/login?next=%2F' }).end(),
  '/wall/login': ({ response }) =>
    sendHtml(response, '<title>Sign in</title><form><input name=user><input type="password" name=p></form>'),
  '/wall/parked': ({ response }) =>
    sendHtml(
      response,
      '<title>example.com is for sale</title><a href="https://sedoparking.com/x">Buy this domain</a>',
    ),
};
