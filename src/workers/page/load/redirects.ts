import type { HTTPRequest } from 'puppeteer-core';

import type { RedirectHop } from '../../../shared/schemas/page-options.ts';

const maxRedirects = 50;

/** The steps up to `final`: HTTP redirects, and navigations that a script or a meta refresh began. */
export function listRedirects(documents: readonly HTTPRequest[], final: HTTPRequest): RedirectHop[] {
  const steps: HTTPRequest[] = [];
  for (const document of documents) {
    steps.push(...document.redirectChain(), document);
    if (document === final) break;
  }
  return steps
    .slice(0, -1)
    .map((step, index) => ({
      url: step.url(),
      status: step.response()?.status() ?? 200,
      location: steps[index + 1]?.url() ?? '',
    }))
    .filter(
      (step, index) => step.url !== step.location || documents[index] === undefined || step.status >= 300,
    )
    .slice(0, maxRedirects);
}
