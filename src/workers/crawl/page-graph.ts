import type { ErrorCode } from '../../shared/errors.ts';
import { createTimeSlice } from './yield-to-event-loop.ts';
import { type PageAddress, splitAddress } from '../addresses/page-address.ts';
import type { Visit } from './visit.ts';

/** Edges that one answer may hold. */
const maxEdges = 100_000;
const maxEdgeCharacters = 32_000_000;
const maxAliases = 20;

export interface MapNode {
  url: string;
  /** Link hops from the root; null where no link within them leads there. */
  depth: number | null;
  title: string | null;
  status: number | null;
  type: string | null;
  /** Pages of the map that link to it. */
  inbound: number;
  error: ErrorCode | null;
}

export interface MapEdge {
  from: string;
  to: string;
  anchor: string;
  rel: string;
}

/** The pages that a crawl has seen, each once: redirects and canonical URLs lead to the page that they mean. */
export interface PageGraph {
  address(url: string): PageAddress | null;
  add(key: string, visit: Visit): void;
  has(key: string): boolean;
  /** Makes the page behind a visited URL a node, if it is none yet. @returns the visits that are new by it. */
  settle(key: string, depth: number | null): Visit[];
  readonly size: number;
  finish(): Promise<{ nodes: MapNode[]; edges: MapEdge[]; edgesCut: boolean; pagesCut: number }>;
}

/** A canonical URL that says "my home page" on every page is a mistake that many sites make. */
function isMeantCanonical(canonical: URL, page: URL): boolean {
  return canonical.host === page.host && (canonical.pathname !== '/' || page.pathname === '/');
}

export function createPageGraph(): PageGraph {
  const addresses = new Map<string, PageAddress | null>();
  const visits = new Map<string, Visit>();
  const nodes = new Map<string, { visit: Visit; depth: number | null; url: string }>();
  /** From the key of any URL to the key of its node. */
  const nodeOf = new Map<string, string>();
  const pages: { node: string; visit: Visit }[] = [];

  function address(url: string): PageAddress | null {
    let known = addresses.get(url);
    if (known === undefined) addresses.set(url, (known = splitAddress(url)));
    return known;
  }

  /** A page that names itself with or without the slash knows best. */
  function urlOf(key: string, visit: Visit): string {
    const canonical = visit.canonical === null ? null : address(visit.canonical);
    return canonical?.key === key && canonical.host === address(visit.at)?.host ? canonical.url : visit.at;
  }

  /** The key of the page that this URL stands for; its own where it stands for itself. */
  function aliasOf(key: string, visit: Visit): string {
    if (visit.redirect !== null) {
      const target = address(visit.redirect)?.key;
      return target !== undefined && (visits.has(target) || nodeOf.has(target)) ? target : key;
    }
    const canonical = visit.canonical === null ? null : address(visit.canonical);
    if (canonical === null || canonical.key === key) return key;
    if (!isMeantCanonical(new URL(canonical.url), new URL(visit.at))) return key;
    const known = visits.get(canonical.key);
    // Nobody asked for the canonical URL: this page is what it shows.
    if (known === undefined) visits.set(canonical.key, { ...visit, at: canonical.url, canonical: null });
    return known === undefined || known.status === 200 ? canonical.key : key;
  }

  function settle(
    key: string,
    depth: number | null,
    fresh: Visit[],
    trail: readonly string[],
  ): string | null {
    const known = nodeOf.get(key);
    if (known !== undefined) return known;
    const visit = visits.get(key);
    if (visit === undefined) return null;
    const alias = aliasOf(key, visit);
    const isOwn = alias === key || trail.includes(alias) || trail.length > maxAliases;
    let node = isOwn ? null : settle(alias, depth, fresh, [...trail, key]);
    // A chain that came back to this URL has made it a node by now.
    node = nodeOf.get(key) ?? node;
    if (node === null) {
      node = key;
      nodes.set(key, { visit, depth, url: urlOf(key, visit) });
    }
    nodeOf.set(key, node);
    if (visit.redirect === null) {
      fresh.push(visit);
      pages.push({ node, visit });
    }
    return node;
  }

  async function listEdges(): Promise<{
    edges: MapEdge[];
    inbound: Map<string, number>;
    edgesCut: boolean;
  }> {
    const slice = createTimeSlice();
    const edges: MapEdge[] = [];
    const inbound = new Map<string, number>();
    const urlOfNode = (node: string) => nodes.get(node)?.url ?? '';
    let edgesCut = false;
    let characters = 0;
    for (const [from, ofNode] of Map.groupBy(pages, ({ node }) => node)) {
      const targets = new Set<string>();
      // All pages of a site may be one, by what they call themselves.
      for (const { visit } of ofNode) {
        if (slice.isOver()) await slice.yieldToEventLoop();
        for (const [url, anchor, rel] of visit.links) {
          const to = nodeOf.get(address(url)?.key ?? '');
          if (to === undefined || to === from || targets.has(to)) continue;
          targets.add(to);
          inbound.set(to, (inbound.get(to) ?? 0) + 1);
          const edge = { from: urlOfNode(from), to: urlOfNode(to), anchor, rel };
          characters += edge.from.length + edge.to.length + anchor.length + rel.length;
          if (edges.length < maxEdges && characters <= maxEdgeCharacters) edges.push(edge);
          else edgesCut = true;
        }
      }
    }
    return { edges, inbound, edgesCut };
  }

  return {
    address,
    add: (key, visit) => void visits.set(key, visit),
    has: (key) => visits.has(key),
    settle(key, depth) {
      const fresh: Visit[] = [];
      settle(key, depth, fresh, []);
      return fresh;
    },
    get size() {
      return nodes.size;
    },
    async finish() {
      const { edges, inbound, edgesCut } = await listEdges();
      const list = [...nodes].map(([key, { visit, depth, url }]) => ({
        url,
        depth,
        title: visit.title,
        status: visit.status,
        type: visit.type,
        inbound: inbound.get(key) ?? 0,
        error: visit.error?.code ?? null,
      }));
      const pagesCut = pages.filter(({ visit }) => visit.linksCut).length;
      return { nodes: list, edges, edgesCut, pagesCut };
    },
  };
}
