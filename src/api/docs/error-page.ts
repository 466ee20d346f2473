import { type ErrorCode, errorKinds, extensionGuideOf } from '../../shared/errors.ts';
import { errorGuide } from './error-guide.ts';
import { pageFrame } from './page-frame.ts';

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Escaped, with what stands between backticks as code. */
const toHtml = (text: string) => escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

const guides: Readonly<Partial<Record<ErrorCode, string>>> = errorGuide;

function toSection(code: ErrorCode): string {
  const { status, title, retryable } = errorKinds[code];
  const facts = `HTTP ${status} · ${retryable ? 'may work when it is tried again' : 'the same request fails again'}`;
  return `<section id="${code}">
<h2><a href="#${code}"><code>${code}</code></a> ${escapeHtml(title)}</h2>
<p class="facts">${facts}</p>
<p>${toHtml(guides[code] ?? extensionGuideOf(code) ?? '')}</p>
</section>`;
}

/** Every error code in the place that a problem's `type` names. */
export function createErrorPage(): string {
  const codes = Object.keys(errorKinds) as ErrorCode[];
  const list = codes.map((code) => `<li><a href="#${code}"><code>${code}</code></a></li>`).join('\n');
  return pageFrame({
    title: 'Quarry error codes',
    main: `<h1>Error codes</h1>
<p>A failure is an <a href="https://www.rfc-editor.org/rfc/rfc9457">RFC 9457</a> problem. Its <code>code</code> never
changes its meaning; its <code>detail</code> says what is wrong with the very request, and what to do.</p>
<ul class="codes">
${list}
</ul>
${codes.map(toSection).join('\n')}`,
  });
}
