import type { Warning } from '../../shared/schemas/job.ts';
import type { AnsweredPage } from './challenge.ts';

const loginPath =
  /\/(log-?in|sign-?in|auth|sso|signon|session\/new|account\/login|users\/sign_in)(\.\w+)?(\/|$)/i;
const passwordField = /<input\b[^>]*\btype\s*=\s*["']?password\b/i;
/** A page with a login form and more text than this has content beside it. */
const loginText = 800;

const parkedMarks =
  /sedoparking\.com|parkingcrew\.net|\bbodis\.com|parklogic\.com|d38psrni17bvxu\.cloudfront\.net|hugedomains\.com\/domain_profile|dan\.com\/buy-domain|afternic\.com\/forsale|domainmarket\.com\/buynow|above\.com\/marketplace|\bwindow\.park\s*=|data-adblockkey=/i;
const parkedTitle =
  /(domain|website|\.\w{2,6})\b.{0,40}\b(is|may be) for sale|buy this domain|\bparked (free|domain|page)|domain (name )?parking/i;
const parkedText = 3_000;

/** What a reader of the page should know: it is a login form, or a parking page, in place of content. */
export function noticePage(
  page: AnsweredPage & { requestedUrl: string; finalUrl: string },
  textLength: () => number,
): Warning[] {
  const { status, html, title, requestedUrl, finalUrl } = page;
  const warnings: Warning[] = [];
  const pathOf = (url: string) => URL.parse(url)?.pathname ?? '';
  const wasSentToLogin = !loginPath.test(pathOf(requestedUrl)) && loginPath.test(pathOf(finalUrl));
  if (status === 401 || wasSentToLogin || (passwordField.test(html) && textLength() < loginText)) {
    warnings.push({
      code: 'login_wall',
      message:
        'The target asks for a login; this is its login page, not the content behind it. Send `cookies` or `headers` of a session.',
    });
  }
  const saysParked = parkedMarks.test(html) || parkedTitle.test(title ?? '');
  if (saysParked && textLength() < parkedText) {
    warnings.push({
      code: 'parked_domain',
      message: 'The domain looks parked or for sale; there may be no site behind this page.',
    });
  }
  return warnings;
}
