import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { pauseBeforeRetry } from './busy-host.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { CrawlMemory } from './crawl-memory.ts';
import type { PageAddress } from '../addresses/page-address.ts';
import type { HostSlots } from './host-slots.ts';
import { askPage, readAnswer, type Visit, type Visitor } from './visit.ts';

export interface PoliteVisitor {
  visitor: Visitor;
  slots: HostSlots;
  checkpoint: Checkpoint;
  memory: CrawlMemory;
  /** Between two requests to the host, in milliseconds. */
  delayOf(origin: string): number;
}

/** A visit at the host's pace; one that an earlier run has made already is answered from its checkpoint. */
export async function visitPolitely(crawl: PoliteVisitor, page: PageAddress): Promise<Visit> {
  const { url, host, origin } = page;
  const known = crawl.checkpoint.find(url);
  if (known !== undefined) return known;
  const { signal } = crawl.visitor;
  const asked = await crawl.slots.take(host, crawl.delayOf(origin), async () => {
    for (let attempt = 0; ; attempt++) {
      const answer = await askPage(crawl.visitor, page);
      const pauseMs = pauseBeforeRetry(answer.visit, attempt);
      if (pauseMs === null) return answer;
      // The slot is kept meanwhile: a host that is busy gets fewer requests at a time.
      await sleep(pauseMs, undefined, { signal });
    }
  });
  // The next requests go out first, so that the host works on them while the page is read.
  await setImmediate();
  const visit = crawl.memory.keep(await readAnswer(crawl.visitor, asked));
  await crawl.checkpoint.keep(url, visit);
  return visit;
}
