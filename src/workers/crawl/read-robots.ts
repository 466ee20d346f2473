import { readRobotsText, type RobotsText } from './robots-rules.ts';

export interface RobotsTask {
  body: Uint8Array;
  product: string;
  /** Of the sitemaps that it names. */
  maxSitemaps: number;
}

/** A robots.txt as it came. */
export default function readRobotsBody({ body, product, maxSitemaps }: RobotsTask): RobotsText {
  const told = readRobotsText(body, product);
  return { ...told, sitemaps: told.sitemaps.slice(0, maxSitemaps) };
}
