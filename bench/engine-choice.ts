import { existsSync } from 'node:fs';

import { createEgressDoor } from '../src/shared/egress/door.ts';
import { createChromium } from '../src/workers/browser/chromium.ts';
import { loadPage } from '../src/workers/page/load/load.ts';
import { judgePage } from '../src/workers/page/engine/needs-browser.ts';
import { snapshotHtml } from '../src/workers/page/load/snapshot.ts';
import { testDataFolder } from '../test/support/browser.ts';
import { listChoicePages } from '../test/support/choice-pages.ts';
import { startSite } from '../test/support/site.ts';
import { benchChoiceOnCorpus } from './content/choice-figures.ts';
import { corporaFolder } from './content/corpus.ts';
import { tellFigure } from './figures.ts';
import { median, timeOf } from './measure.ts';

/**
 * How often `render: auto` chooses rightly: on pages made for it, with what each engine takes for those that need no
 * browser, then on the pages of the corpora, by themselves and with a part that only scripts bring. Arguments: `tune`
 * (the corpora only, and of them the half that rules are tuned on), `names` (of the pages that are wrong).
 */
const wanted = new Set(process.argv.slice(2));
const rounds = 5;

async function benchMadePages(): Promise<void> {
  const pages = await listChoicePages();
  await using site = await startSite();
  await using door = createEgressDoor({ allow: [`127.0.0.1:${site.port}`] });
  await using chromium = createChromium({ dataFolder: testDataFolder });
  await chromium.warmUp();

  async function readPlainly(url: string): Promise<void> {
    await using lease = door.openLease();
    const { body } = await lease.fetch({ url });
    judgePage({ html: body.toString() });
  }

  async function render(url: string): Promise<void> {
    await using lease = door.openLease();
    await chromium.withPage({ lease }, async (page) => {
      await loadPage(page, { url, timeoutMs: 10_000, lease });
      await snapshotHtml(page);
    });
  }

  const plainMs: number[] = [];
  const renderMs: number[] = [];
  for (const [index, page] of pages.entries()) {
    const path = `/choice/${index}`;
    site.serve(path, page.html);
    if (page.needsBrowser) continue;
    for (let round = 0; round < rounds; round++) {
      plainMs.push(await timeOf(() => readPlainly(site.origin + path)));
      renderMs.push(await timeOf(() => render(site.origin + path)));
    }
  }
  const lost = pages.filter((page) => page.needsBrowser && judgePage(page).need === null);
  const slow = pages.filter((page) => !page.needsBrowser && judgePage(page).need !== null);
  console.log(
    `render: auto chose rightly for ${pages.length - lost.length - slow.length} of ${pages.length} pages`,
  );
  tellFigure({ what: 'pages whose content was lost', value: lost.length, unit: `of ${pages.length}` });
  tellFigure({ what: 'browser for nothing', value: slow.length, unit: `of ${pages.length}` });
  console.log(`  content lost: ${lost.length}   browser for nothing: ${slow.length}`);
  console.log(
    `  plain ${median(plainMs).toFixed(1)} ms, browser ${median(renderMs).toFixed(1)} ms (median, one page at a time)`,
  );
}

if (!wanted.has('tune')) await benchMadePages();
if (existsSync(corporaFolder)) {
  benchChoiceOnCorpus('tune', wanted.has('names'));
  if (!wanted.has('tune')) benchChoiceOnCorpus('held-out', false);
}
