/** A node of a links map, as far as it is looked at here. */
export interface FoundPage {
  url: string;
  depth: number | null;
  title: string | null;
  status: number | null;
  type: string | null;
  error: string | null;
}

export interface ChosenPages {
  pages: FoundPage[];
  skipped: { url: string; reason: string }[];
}

/** What `/extract` makes text of. */
const readable =
  /^(?:text\/(?:html|plain|markdown|csv)|application\/(?:xhtml\+xml|pdf|json|vnd\.openxmlformats-officedocument\.(?:wordprocessingml\.document|spreadsheetml\.sheet)))$/;

function flawOf({ status, type, error }: FoundPage): string | null {
  if (error !== null) return error;
  // The map sees redirects through to the pages of the site that robots.txt leaves open: what is left leads out of them.
  if (status === null || status >= 300) return `http_${status ?? 'none'}`;
  return type === null || readable.test(type) ? null : 'not_a_page';
}

/**
 * Chooses the pages of a site that are summarised: the nearest by links first, then those that only a sitemap names.
 * @param found breadth first.
 * @param leftOut what the crawl has met beside them.
 */
export function choosePages(
  found: readonly FoundPage[],
  {
    blockedByRobots,
    leftOut = [],
  }: { blockedByRobots: readonly string[]; leftOut?: readonly string[] | undefined },
  maxPages: number,
): ChosenPages {
  const pages: FoundPage[] = [];
  const skipped: ChosenPages['skipped'] = [];
  for (const page of found) {
    const reason = flawOf(page) ?? (pages.length >= maxPages ? 'page_limit' : null);
    if (reason === null) pages.push(page);
    else skipped.push({ url: page.url, reason });
  }
  const because = (reason: string) => (url: string) => ({ url, reason });
  const unread = [...leftOut.map(because('page_limit')), ...blockedByRobots.map(because('robots'))];
  return { pages, skipped: [...skipped, ...unread] };
}
