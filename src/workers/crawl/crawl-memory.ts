import type { Visit } from './visit.ts';

/** Of what crawls hold of the sites' own texts, about: of one crawl, and of all that run in a process. */
const bytesOfCrawl = 192 * 1024 ** 2;
const bytesOfProcess = 512 * 1024 ** 2;

type Link = Visit['links'][number];

/** What one crawl holds of the links of its pages, each link once: most pages of a site carry the same ones. */
export interface CrawlMemory extends Disposable {
  /** @returns the visit with the links that fit; where some are left out, with `linksCut`. */
  keep(visit: Visit): Visit;
}

/** Two links to one URL that differ in their words are two; of more than these each counts by itself. */
const maxVariants = 8;

/** Of a link that is new: its texts, those that addresses are made of (thrice), and what lies around them. */
const bytesOf = ([url, anchor, rel]: Link) => 300 + 4 * url.length + 2 * (anchor.length + rel.length);
/** Of a page, and of its place in a list of each link. */
const bytesOfPage = 1_000;
const bytesOfPlace = 8;

/** @returns opens the memories of crawls, which together stay within the bound of the process. */
export function createCrawlMemories(
  bounds: { bytesOfCrawl: number; bytesOfProcess: number } = { bytesOfCrawl, bytesOfProcess },
): () => CrawlMemory {
  let ofAll = 0;
  return () => {
    const known = new Map<string, Link[]>();
    let held = 0;
    /** A twelfth of its bound each crawl has, whatever the others hold. */
    function take(bytes: number): boolean {
      const isSure = held + bytes <= bounds.bytesOfCrawl / 12;
      if (held + bytes > bounds.bytesOfCrawl) return false;
      if (!isSure && ofAll + bytes > bounds.bytesOfProcess) return false;
      held += bytes;
      ofAll += bytes;
      return true;
    }
    function keepLink(link: Link): Link | null {
      const [url, anchor, rel, image] = link;
      const variants = known.get(url);
      const same = variants?.find((one) => one[1] === anchor && one[2] === rel && one[3] === image);
      if (same !== undefined) return take(bytesOfPlace) ? same : null;
      if (!take(bytesOf(link) + bytesOfPlace)) return null;
      if (variants === undefined) known.set(url, [link]);
      else if (variants.length < maxVariants) variants.push(link);
      return link;
    }
    return {
      keep(visit) {
        const links = take(bytesOfPage) ? visit.links.flatMap((link) => [keepLink(link)]) : [];
        const kept = links.filter((link) => link !== null);
        return kept.length === visit.links.length
          ? { ...visit, links: kept }
          : { ...visit, links: kept, linksCut: true };
      },
      [Symbol.dispose]: () => void (ofAll -= held),
    };
  };
}
