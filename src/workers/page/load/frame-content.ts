import { randomBytes } from 'node:crypto';

import type { Frame } from 'puppeteer-core';

import { orAfter } from '../../browser/deadline.ts';
import { isolatedWorldOf } from '../../browser/isolated-world.ts';

/** Of a page, in all depths; those of advertisers are turned away before. */
export const maxFrames = 40;
const maxDepth = 4;
const frameMs = 2_000;
/** Of all frames together: those that do not answer must not cost the page its own time to be read. */
const framesMs = 4_000;
/** Of all frames together; what is beyond is left out. */
const maxCharacters = 10_000_000;
/** Of a frame's address, which may hold its whole document. */
const maxAddressLength = 2_048;
/** CSS pixels; what is smaller shows nothing to a reader. */
const leastSize = 20;

/** An attribute that marks the place of a frame until its content is put there; no page can guess it. */
export const frameMark = `data-frame-${randomBytes(8).toString('hex')}`;

type FrameElement = NonNullable<Awaited<ReturnType<Frame['frameElement']>>>;

interface Left {
  frames: number;
  characters: number;
  /** By `performance.now()`. */
  until: number;
}

/**
 * Reads what the frames of a document show, and marks their elements with `frameMark` and a number.
 * @returns by number, each frame's content as `<section data-frame="URL">`; null for one that is left out.
 */
export async function readFrames(
  parent: Frame,
  depth = 1,
  left: Left = { frames: maxFrames, characters: maxCharacters, until: performance.now() + framesMs },
): Promise<(string | null)[]> {
  const contents: (string | null)[] = [];
  for (const frame of depth > maxDepth ? [] : parent.childFrames()) {
    const leftMs = left.until - performance.now();
    if (left.frames-- <= 0 || leftMs <= 0) break;
    if (!/^(https?|about|blob|data):/.test(frame.url())) continue;
    // A late one may still mark its element: its number is no other's.
    const number = contents.push(null) - 1;
    const reading = readFrame(frame, number, depth, left).catch(() => null);
    contents[number] = await orAfter(reading, Math.min(frameMs, leftMs), null);
  }
  return contents;
}

/** Whether a reader sees something of a frame. */
export async function showsFrame(frame: Frame): Promise<boolean> {
  using element = await frame.frameElement();
  return element !== null && (await isSeen(element));
}

async function isSeen(element: FrameElement): Promise<boolean> {
  return await element.evaluate((owner, least) => {
    const { width, height } = owner.getBoundingClientRect();
    return width >= least && height >= least && getComputedStyle(owner).visibility === 'visible';
  }, leastSize);
}

/** @returns null where a reader sees nothing of it. */
async function readFrame(frame: Frame, number: number, depth: number, left: Left): Promise<string | null> {
  using element = await frame.frameElement();
  if (element === null || !(await isSeen(element))) return null;
  const inner = await readFrames(frame, depth + 1, left);
  const html = await isolatedWorldOf(frame).evaluate(readBodyInPage, frameMark, left.characters);
  if (html === '') return null;
  left.characters -= html.length;
  await element.evaluate((owner, mark, value) => owner.setAttribute(mark, value), frameMark, `${number}`);
  const source = frame.url().slice(0, maxAddressLength).replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return `<section data-frame="${source}">${putFrames(html, inner)}</section>`;
}

/** The content of a document, with addresses that hold outside of it, too; empty where it has no text, or too much. */
function readBodyInPage(mark: string, maxLength: number): string {
  const { body } = document;
  if (body === null) return '';
  if (body.localName === 'frameset')
    return Array.from(
      body.querySelectorAll(`[${mark}]`),
      (frame) => `<div ${mark}="${frame.getAttribute(mark)}"></div>`,
    ).join('');
  if ((body.innerText ?? '').trim() === '' && body.querySelector(`[${mark}],img`) === null) return '';
  const copy = body.cloneNode(true) as HTMLElement;
  for (const silent of copy.querySelectorAll('script,style,noscript,template,link')) silent.remove();
  for (const element of copy.querySelectorAll<HTMLAnchorElement>('a[href],area[href]'))
    element.setAttribute('href', element.href);
  for (const element of copy.querySelectorAll<HTMLImageElement>('img[src],iframe[src]'))
    element.setAttribute('src', element.src);
  // Half of it would be cut anywhere.
  return copy.innerHTML.length > maxLength ? '' : copy.innerHTML;
}

/** Behind the element whose start tag `at` is in: `iframe`, `object`, `embed`, or the `div` of a frameset's frame. */
function endOfElement(html: string, at: number): number {
  const from = html.lastIndexOf('<', at) + 1;
  const name = /^[a-z]+/i.exec(html.slice(from, from + 10))?.[0] ?? '';
  const end = name === 'embed' ? '>' : `</${name}>`;
  const found = html.indexOf(end, at);
  return found === -1 ? html.length : found + end.length;
}

/** Puts each frame's content behind its element. */
export function putFrames(html: string, contents: readonly (string | null)[]): string {
  const waiting = new Map(contents.entries());
  const pieces: string[] = [];
  let done = 0;
  for (const { index, 0: mark, 1: number } of html.matchAll(new RegExp(` ${frameMark}="(\\d+)"`, 'g'))) {
    const content = waiting.get(Number(number)) ?? null;
    if (content === null || index < done) continue;
    waiting.delete(Number(number));
    const behind = endOfElement(html, index);
    pieces.push(html.slice(done, index), html.slice(index + mark.length, behind), content);
    done = behind;
  }
  pieces.push(html.slice(done));
  // Those of frames that were late, or are none any more.
  return pieces.join('').replaceAll(new RegExp(` ${frameMark}="\\d+"`, 'g'), '');
}
