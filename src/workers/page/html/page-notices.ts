import type { Warning } from '../../../shared/schemas/job.ts';
import type { AnsweredPage } from '../fetch/challenge.ts';
import { HiddenElements } from './hidden-elements.ts';
import { scanHtml } from './scan-html.ts';
import { scanTags } from './scan-tags.ts';

const loginPath =
  /\/(log-?in|sign-?in|auth|sso|signon|session\/new|account\/login|users\/sign_in)(\.\w+)?(\/|$)/i;
const inputs = new Set(['input']);
/** Types of what a login asks for. */
const loginFields = new Set(['', 'text', 'email', 'tel', 'password']);
/** A page with a login form and more text than this has content beside it. */
const loginText = 800;

/** Found in tags and scripts; a page that shows them to its reader is about parking. */
const parkedDomainMarks =
  /sedoparking\.com|parkingcrew\.net|\bbodis\.com|parklogic\.com|d38psrni17bvxu\.cloudfront\.net|hugedomains\.com\/domain_profile|dan\.com\/buy-domain|afternic\.com\/forsale|domainmarket\.com\/buynow|above\.com\/marketplace|\bwindow\.park\s*=|data-adblockkey=/i;
const parkedDomainTitle =
  /^(the |this )?(domain|website|(domain (name )?)?["']?[\w-]+(\.[\w-]{2,})+["']?)( name)? (is|may be) (available )?for sale\b(?! (?!(on|at|by|now|here)\b)\w)|^buy this domain|^(this )?domain (is )?parked\b|^parked (free|domain|page)\b/i;
const parkedDomainText = 3_000;

/** One password, and no new one: more make an account or change a password, which is what was asked for. */
function asksForPassword(html: string): boolean {
  let fields = 0;
  let isNew = false;
  scanTags(html, {
    tags: inputs,
    textIn: new Set(),
    onStartTag(_name, attributes) {
      if (attributes.get('type')?.trim().toLowerCase() === 'password') fields++;
      if (/\bnew-password\b/i.test(attributes.get('autocomplete') ?? '')) isNew = true;
    },
    onText: () => undefined,
    onEndTag: () => undefined,
  });
  return fields === 1 && !isNew;
}

/** What a script would show to who asks for it, as a browser has left it: neither the password is seen nor the field before it. */
function hidesLogin(html: string): boolean {
  const hidden = new HiddenElements(html);
  let isFieldSeen = false;
  let isLoginSeen = false;
  scanHtml(html, {
    onStartTag(name, attributes) {
      hidden.start(name, attributes);
      if (name === 'form') isFieldSeen = false;
      if (name !== 'input') return;
      const type = (attributes.get('type') ?? '').trim().toLowerCase();
      if (!loginFields.has(type)) return;
      const isSeen = !hidden.isHidden;
      if (type === 'password') isLoginSeen = isSeen || isFieldSeen;
      isFieldSeen = isSeen;
    },
    onText: () => undefined,
    onEndTag(name) {
      hidden.end(name);
      if (name === 'form') isFieldSeen = false;
    },
  });
  return !isLoginSeen;
}

/** What a reader of the page should know: it is a login form, or a parking page, in place of content. */
export function noticePage(
  page: AnsweredPage & { requestedUrl: string; finalUrl: string; engine: 'http' | 'browser' },
  visibleText: () => string,
): Warning[] {
  const { status, html, title, requestedUrl, finalUrl, engine } = page;
  const warnings: Warning[] = [];
  const pathOf = (url: string) => URL.parse(url)?.pathname ?? '';
  const wasSentToLogin = !loginPath.test(pathOf(requestedUrl)) && loginPath.test(pathOf(finalUrl));
  const isLoginForm = asksForPassword(html) && !(engine === 'browser' && hidesLogin(html));
  const isShort = () => visibleText().length < loginText;
  if (status === 401 || (wasSentToLogin && isLoginForm) || ((wasSentToLogin || isLoginForm) && isShort())) {
    warnings.push({
      code: 'login_wall',
      message:
        'The target asks for a login; this is its login page, not the content behind it. Send `cookies` or `headers` of a session.',
    });
  }
  const saysParkedDomain =
    parkedDomainTitle.test(title ?? '') ||
    (parkedDomainMarks.test(html) && !parkedDomainMarks.test(visibleText()));
  if (saysParkedDomain && visibleText().length < parkedDomainText) {
    warnings.push({
      code: 'parked_domain',
      message: 'The domain looks parked or for sale; there may be no site behind this page.',
    });
  }
  return warnings;
}
