import thirdParties from 'third-party-web/nostats-subset.js';

import type { Warning } from '../../../shared/schemas/job.ts';

/** Knows the hosts of advertisers, by the list of the third-party-web project. */
export interface AdFilter {
  /** For a lease: true for hosts that only bring advertising to this page. */
  turnAway(host: string): boolean;
  /** From now on this host, and whoever runs it, is part of the page. */
  exempt(host: string): void;
}

/** What is told of hosts that were turned away. */
export function noticeAds(turnedAway: ReadonlyMap<string, number>): Warning[] {
  if (turnedAway.size === 0) return [];
  const requests = [...turnedAway.values()].reduce((sum, count) => sum + count, 0);
  const hosts = [...turnedAway.keys()].slice(0, 5).join(', ');
  const message = `${requests} requests to advertisers were not made (${hosts}); blockAds: false lets them through.`;
  return [{ code: 'ads_blocked', message }];
}

/** @param targetUrl of the page; an advertiser's own page is shown whole. */
export function createAdFilter(targetUrl: string): AdFilter {
  const exempt = new Set<string>();
  const known = new Map<string, boolean>();
  const filter: AdFilter = {
    turnAway(host) {
      let isAd = known.get(host);
      if (isAd === undefined) {
        const entity = thirdParties.getEntity(host);
        isAd = entity !== undefined && entity.categories.includes('ad') && !exempt.has(entity.name);
        if (known.size < 10_000) known.set(host, isAd);
      }
      return isAd;
    },
    exempt(host) {
      const name = thirdParties.getEntity(host)?.name;
      if (name !== undefined) exempt.add(name);
      known.clear();
    },
  };
  filter.exempt(new URL(targetUrl).hostname);
  return filter;
}
