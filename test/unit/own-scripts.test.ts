import { describe, expect, test } from 'vitest';
import { judgePage } from '../../src/workers/page/engine/needs-browser.ts';
import { findImports } from '../../src/workers/page/engine/own-scripts.ts';
import { partSites, plainSite, type PartSite } from '../support/part-sites.ts';

const url = 'https://quarry.test/';

/** As the HTTP engine goes on: what the page loads, then what that imports. */
function judge({ files }: PartSite): string | null {
  const html = files['/'] as string;
  const first = judgePage({ html, url });
  if (first.need !== null || first.scripts.length === 0) return first.need;
  const textOf = (address: string) => files[new URL(address).pathname] ?? '';
  const imports = first.scripts.flatMap((address) => findImports(textOf(address), address));
  return judgePage({ html, url, scripts: [...first.scripts, ...imports].map(textOf) }).need;
}

describe("the scripts of a page's own site", () => {
  test.each(partSites)('tell of $what', (site) => {
    expect(judge(site)).not.toBeNull();
  });

  test('that change nothing need no browser', () => {
    expect(judge(plainSite)).toBeNull();
  });

  test('are those of its origin, without libraries, each once', () => {
    const sources = [
      '/a.js',
      'a.js',
      '//cdn.test/b.js',
      '/js/jquery.min.js',
      '/js/vue-app.js',
      '/js/vue.global.js',
      '/wp-includes/js/c.js',
      'data:,1',
    ];
    const html = `<p>${'The railway ran twice a day. '.repeat(40)}</p>${sources.map((src) => `<script src="${src}"></script>`).join('')}<script type="module">import "./d.js"; import e from 'e';</script>`;
    expect(judgePage({ html, url }).scripts).toEqual([
      'https://quarry.test/a.js',
      'https://quarry.test/js/vue-app.js',
      'https://quarry.test/d.js',
    ]);
  });
});
