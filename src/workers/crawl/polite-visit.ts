import { setImmediate } from 'node:timers/promises';
import type { Checkpoint } from './checkpoint.ts';
import type { CrawlMemory } from './crawl-memory.ts';
import type { PageAddress } from '../addresses/page-address.ts';
import type { HostSlots } from './host-slots.ts';
import { askPage, type Manners, readAnswer, type Visit, type Visitor } from './visit.ts';

export interface PoliteVisitor {
  visitor: Visitor;
  slots: HostSlots;
  checkpoint: Checkpoint;
  memory: CrawlMemory;
  /** Between two requests to the host, in milliseconds. */
  delayOf(origin: string): number;
}

/** A visit at the host's pace; one that an earlier run has made already is answered from its checkpoint. */
export async function visitPolitely(
  crawl: PoliteVisitor,
  page: PageAddress,
  mayAsk: Manners['mayAsk'],
): Promise<Visit> {
  const { url, host, origin } = page;
  const known = crawl.checkpoint.find(url);
  if (known !== undefined) return known;
  // A host that is busy keeps its slot until it has been asked again: it gets fewer requests at a time.
  const take: Manners['take'] = (request) => crawl.slots.take(host, crawl.delayOf(origin), request);
  const asked = await askPage(crawl.visitor, page, { take, mayAsk });
  // The next requests go out first, so that the host works on them while the page is read.
  await setImmediate();
  const visit = crawl.memory.keep(await readAnswer(crawl.visitor, asked));
  await crawl.checkpoint.keep(url, visit);
  return visit;
}
