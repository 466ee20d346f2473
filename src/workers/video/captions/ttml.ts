import { type DefaultTreeAdapterTypes as Tree, parse } from 'parse5';
import { AppError } from '../../../shared/errors.ts';
import type { CaptionSegment } from '../../../shared/schemas/video.ts';
import { withoutTimes } from './without-times.ts';

type Attributes = Map<string, string>;

interface Clock {
  frameRate: number;
  tickRate: number;
}

/** What HTML has elements of the same meaning for; all others are made ones that it knows nothing of. */
const ofHtml: ReadonlySet<string> = new Set(['div', 'p', 'span', 'br']);

/** CDATA as the text that it stands for: in HTML it is a comment. */
function withoutCdata(text: string): string {
  const [first = '', ...others] = text.split('<![CDATA[');
  const plain = others.map((part) => {
    const end = part.indexOf(']]>');
    if (end < 0) return part;
    return part.slice(0, end).replaceAll('&', '&amp;').replaceAll('<', '&lt;') + part.slice(end + 3);
  });
  return [first, ...plain].join('');
}

/**
 * As HTML, without prefixes: an XML parser would refuse what is not well-formed, and players show it. Names such as
 * `style` and `title` would take all that follows for their text.
 */
const toHtml = (text: string): string =>
  withoutCdata(text)
    .replaceAll(/<(\/?)(?:[\w-]{1,20}:)?([A-Za-z]\w{0,30})/g, (_, slash: string, name: string) =>
      ofHtml.has(name.toLowerCase()) ? `<${slash}${name}` : `<${slash}x-${name}`,
    )
    .replaceAll(/<br\b[^<>]{0,200}>/g, '\n');

/** When something is shown, in seconds. */
interface Interval {
  since: number;
  /** Null where nothing ends it. */
  until: number | null;
  /** It, or what it stands in, names a time. */
  isTimed: boolean;
}

/** Times are counted from the begin of what an element stands in, which lends it those that it does not name. */
function readInterval(
  attributes: Attributes,
  within: Interval,
  clock: Clock,
): Interval & { hasOwn: boolean } {
  const [begin, end, duration] = ['begin', 'end', 'dur'].map((name) => readTime(attributes.get(name), clock));
  const since = within.since + (begin ?? 0);
  const until = duration != null ? since + duration : end != null ? within.since + end : within.until;
  const hasOwn = begin != null || duration != null || end != null;
  return { since, until, isTimed: hasOwn || within.isTimed, hasOwn };
}

const attributesOf = ({ attrs }: Tree.Element): Attributes =>
  new Map(attrs.map(({ name, value }) => [name.toLowerCase(), value]));

/**
 * Timed Text Markup Language (W3C TTML2) in any namespace prefix, times of all its forms: `begin`, `end` and `dur` of
 * paragraphs, of their spans where those alone have times, or of what a paragraph without any stands in.
 * @throws AppError `unsupported_content` for XML of another kind, and for text without any time.
 */
export function readTtml(text: string): CaptionSegment[] {
  const html = toHtml(text);
  if (!/<x-tt[\s/>]/i.test(html))
    throw new AppError('unsupported_content', 'The captions are XML, but not of the kind TTML.');
  const segments: CaptionSegment[] = [];
  let isUntimed = false;
  let clock: Clock = { frameRate: 30, tickRate: 1 };
  const open: { node: Tree.ChildNode; within: Interval }[] = [];
  const push = (nodes: readonly Tree.ChildNode[], within: Interval): void => {
    for (const node of nodes.toReversed()) open.push({ node, within });
  };
  push(parse(html).childNodes, { since: 0, until: null, isTimed: false });
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, within } = next;
    if (!('tagName' in node)) continue;
    const attributes = attributesOf(node);
    if (node.tagName === 'x-tt') clock = readClockRates(attributes);
    const { hasOwn, ...times } = readInterval(attributes, within, clock);
    const isCue =
      node.tagName === 'p'
        ? hasOwn || (within.isTimed && !hasTimedSpan(node))
        : node.tagName === 'span' && hasOwn;
    if (!isCue) {
      if (node.tagName === 'p') isUntimed ||= textOf(node).trim() !== '';
      push(node.childNodes, times);
      continue;
    }
    const { since, until } = times;
    segments.push({
      startSeconds: since,
      durationSeconds: until === null ? 0 : Math.max(0, until - since),
      text: textOf(node),
    });
  }
  if (segments.length === 0 && isUntimed) throw withoutTimes();
  return segments;
}

function readClockRates(attributes: Attributes): Clock {
  const frameRate = Number(attributes.get('ttp:framerate')) || 30;
  const [numerator, denominator] = (attributes.get('ttp:frameratemultiplier') ?? '').split(' ').map(Number);
  const factor = numerator && denominator ? numerator / denominator : 1;
  return { frameRate: frameRate * factor, tickRate: Number(attributes.get('ttp:tickrate')) || frameRate };
}

const units: Record<string, number> = { h: 3_600, m: 60, s: 1, ms: 0.001 };

/** Also SMIL's forms, which many write: minutes without hours, and seconds without a unit; and SubRip's comma. */
function readTime(written: string | undefined, { frameRate, tickRate }: Clock): number | null {
  const text = (written ?? '').trim().replace(',', '.');
  const clock = /^(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2}(?:\.\d{1,9})?)(?::(\d{1,4}(?:\.\d{1,4})?))?$/.exec(text);
  if (clock) {
    const [, hours = '0', minutes, seconds, frames = '0'] = clock;
    return Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds) + Number(frames) / frameRate;
  }
  const offset = /^(\d{1,12}(?:\.\d{1,9})?)(h|ms|m|s|f|t)?$/.exec(text);
  if (!offset) return null;
  const [, value, unit = 's'] = offset;
  if (unit === 'f') return Number(value) / frameRate;
  return unit === 't' ? Number(value) / tickRate : Number(value) * (units[unit] ?? 1);
}

function hasTimedSpan(paragraph: Tree.Element): boolean {
  const stack: Tree.ChildNode[] = [...paragraph.childNodes];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (!('tagName' in node)) continue;
    const attributes = attributesOf(node);
    if (['begin', 'end', 'dur'].some((name) => attributes.has(name))) return true;
    for (const child of node.childNodes) stack.push(child);
  }
  return false;
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
