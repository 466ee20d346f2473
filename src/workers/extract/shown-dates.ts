import { type AnyNode, type Element, isTag } from 'domhandler';
import type { Places } from './aside.ts';
import type { Block } from './blocks.ts';
import { publicationWords } from './change-marks.ts';
import { classKind } from './class-kind.ts';
import type { PageFacts } from './page-facts.ts';
import type { DateWriting } from './written-date.ts';

/** Where a page shows its dates to readers. */
export interface Shown extends Places {
  facts: PageFacts;
  blocks: readonly Block[];
  /** The block of the title; dates beside it are the page's. -1 where there is none. */
  titleAt: number;
  writing: DateWriting;
  isThread: boolean;
}

/** Blocks before and behind a title, within which a date is the page's. */
export const before = 8;
export const after = 25;

/** What stands around the text of a block, from the inside out. */
export function* holdersOf({ nodes }: Block): Generator<Element> {
  for (const node of nodes) {
    for (let up = node.parent, n = 0; up !== null && n < 3; up = up.parent, n++) if (isTag(up)) yield up;
  }
}

/** How an element looks: its tag and kind, and those of what it stands in. */
function shapeOf(node: AnyNode | null): string {
  const parts: string[] = [];
  for (let up = node, n = 0; up !== null && isTag(up) && n < 4; up = up.parent, n++) {
    parts.push(`${up.name}.${classKind(up.attribs['class'])}`);
  }
  return parts.join('<');
}

/** Dates away from the title that look alike three times or more are those of a list's entries. */
export function createEntryCheck({ titleAt, isThread }: Shown, all: readonly (AnyNode | null)[]) {
  const counts = new Map<string, number>();
  for (const one of isThread ? [] : all) {
    const shape = shapeOf(one);
    counts.set(shape, (counts.get(shape) ?? 0) + 1);
  }
  return (one: AnyNode | null, at: number): boolean =>
    Math.abs(at - titleAt) > 3 && (counts.get(shapeOf(one)) ?? 0) >= 3;
}

/** A line that says what its day is. */
export const announced = new RegExp(
  `^\\W*(?:original )?(?:(?:publi|post|creat|articl|entry|online)\\p{L}* )?date\\b|${publicationWords.source}`,
  'iu',
);

/** Running text tells of some day, a line with few words of its own. */
export const isSentence = (text: string): boolean =>
  /[.!?…]["”’)\]]*$/.test(text) && !announced.test(text) && text.split(/\s+/).length > 8;
