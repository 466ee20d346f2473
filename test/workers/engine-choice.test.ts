import { beforeAll, describe, expect, test } from 'vitest';

import { judgePage } from '../../src/workers/page/engine/needs-browser.ts';
import { type ChoicePage, listChoicePages } from '../support/choice-pages.ts';
import { startBrowserBench } from '../support/browser.ts';
import { loadPage } from '../../src/workers/page/load/load.ts';
import { buildApps } from '../support/apps/build.ts';

let pages: ChoicePage[] = [];
beforeAll(async () => {
  pages = await listChoicePages();
});

describe('render: auto', () => {
  test('never reads plainly what only a browser shows', () => {
    const wrong = pages.filter((page) => page.needsBrowser && judgePage(page).need === null);
    expect(wrong.map(({ what }) => what)).toEqual([]);
  });

  test('spares the browser what is there already', () => {
    const wrong = pages.filter((page) => !page.needsBrowser && judgePage(page).need !== null);
    expect(wrong.map((page) => [page.what, judgePage(page).need])).toEqual([]);
  });

  test('the apps show in the browser what their HTML has not', async () => {
    const apps = await buildApps();
    await using bench = await startBrowserBench();
    for (const [name, html] of Object.entries(apps)) {
      bench.site.serve(`/apps/${name}`, html);
      const text = await bench.withPage({}, async (page, lease) => {
        await loadPage(page, { url: `${bench.site.origin}/apps/${name}`, timeoutMs: 10_000, lease });
        return page.evaluate(() => document.body.innerText);
      });
      expect(text, name).toContain('Rails to the harbour');
      // Fetched by the app once it runs.
      expect(text, name).toContain('Tons: 12');
    }
  }, 30_000);
});
