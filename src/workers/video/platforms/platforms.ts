import type { Platform } from './platform.ts';

/** Loaded where they are used: their libraries are large. */
export const platforms: Readonly<Record<string, () => Promise<Platform>>> = {
  youtube: async () => (await import('./youtube/youtube.ts')).youtube,
  peertube: async () => (await import('./peertube/peertube.ts')).peertube,
  page: async () => (await import('./page/page.ts')).page,
};
