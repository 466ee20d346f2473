import { type DefaultTreeAdapterTypes as Tree, parse } from 'parse5';
import type { CaptionSegment } from '../../../shared/schemas/video.ts';

type Attributes = Map<string, string>;

interface Clock {
  frameRate: number;
  tickRate: number;
}

/** Timed Text Markup Language (W3C TTML2): `<p begin end dur>` in any namespace prefix, times of all its forms. */
export function readTtml(text: string): CaptionSegment[] {
  // An XML parser would refuse what is not well-formed; players show it.
  const document = parse(
    text.replaceAll(/<(\/?)\w{1,20}:(tt|body|div|p|span|br)\b/g, '<$1$2').replaceAll(/<br\s*\/?>/g, '\n'),
  );
  const segments: CaptionSegment[] = [];
  let clock: Clock = { frameRate: 30, tickRate: 1 };
  const stack: Tree.ChildNode[] = [...document.childNodes].toReversed();
  while (stack.length > 0) {
    const node = stack.pop();
    if (node === undefined || !('tagName' in node)) continue;
    const attributes: Attributes = new Map(node.attrs.map(({ name, value }) => [name.toLowerCase(), value]));
    if (node.tagName === 'tt') clock = readClockRates(attributes);
    const begin = readTime(attributes.get('begin'), clock);
    if (node.tagName !== 'p' || begin === null) {
      for (const child of node.childNodes.toReversed()) stack.push(child);
      continue;
    }
    const end = readTime(attributes.get('end'), clock);
    const duration = readTime(attributes.get('dur'), clock) ?? (end === null ? 0 : end - begin);
    segments.push({ startSeconds: begin, durationSeconds: Math.max(0, duration), text: textOf(node) });
  }
  return segments;
}

function readClockRates(attributes: Attributes): Clock {
  const frameRate = Number(attributes.get('ttp:framerate')) || 30;
  const [numerator, denominator] = (attributes.get('ttp:frameratemultiplier') ?? '').split(' ').map(Number);
  const factor = numerator && denominator ? numerator / denominator : 1;
  return { frameRate: frameRate * factor, tickRate: Number(attributes.get('ttp:tickrate')) || frameRate };
}

const units: Record<string, number> = { h: 3_600, m: 60, s: 1, ms: 0.001 };

function readTime(text: string | undefined, { frameRate, tickRate }: Clock): number | null {
  const clock = /^(\d{1,4}):(\d\d):(\d\d(?:\.\d{1,9})?)(?::(\d{1,4}(?:\.\d{1,4})?))?$/.exec(text ?? '');
  if (clock) {
    const [, hours, minutes, seconds, frames = '0'] = clock;
    return Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds) + Number(frames) / frameRate;
  }
  const offset = /^(\d{1,12}(?:\.\d{1,9})?)(h|ms|m|s|f|t)$/.exec(text ?? '');
  if (!offset) return null;
  const [, value, unit = 's'] = offset;
  if (unit === 'f') return Number(value) / frameRate;
  return unit === 't' ? Number(value) / tickRate : Number(value) * (units[unit] ?? 1);
}

function textOf(element: Tree.Element): string {
  const parts: string[] = [];
  const stack: Tree.ChildNode[] = [element];
  while (stack.length > 0) {
    const node = stack.pop();
    if (node === undefined) continue;
    if (node.nodeName === '#text' && 'value' in node) parts.push(node.value);
    if ('childNodes' in node) for (const child of node.childNodes.toReversed()) stack.push(child);
  }
  return parts.join('');
}
