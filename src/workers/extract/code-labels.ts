import { isTag } from 'domhandler';
import type { Block, Scope } from './blocks.ts';
import { isOnFrame, longestLabel } from './code-frames.ts';
import { isSameLanguage, languageOf } from './code-language.ts';
import { bare } from './site-name.ts';
import { countInk } from './text-size.ts';

/** What holds more lines is more than code and what is written on its frame. */
const mostLabels = 4;
const mostLevels = 6;
/** Closer than this to code, in blocks, is what is written right above or below it. */
const nearest = 1;
const copyName =
  /(?:^|[\s_-])(?:copy[_-]?(?:btn|button|code|icon|label|link|message|notice|status|tip|tooltip)|(?:btn|button)[_-]copy|copied|clipboard)(?:[\s_-]|$)/i;
/** What announces code may well say no more than its language. */
const titles = /^(?:h[1-6]|li|dt|dd|td|th|caption|summary)$/;

/**
 * Leaves out what is written on the frame of code and is none of its text: buttons that copy it, and the name of the
 * language that the code is known to be in.
 */
export function leaveOutCodeLabels(blocks: readonly Block[], picked: Uint8Array): void {
  for (const { preformatted, text, scope, index } of blocks) {
    if (!preformatted || text === '') continue;
    const frame = frameOf(blocks, scope);
    const first = Math.max(0, Math.min(frame.first, index - nearest));
    const end = Math.min(blocks.length, Math.max(frame.end, index + nearest + 1));
    const language = languageOf(scope.element) ?? '';
    for (let at = first; at < end; at++) {
      const block = blocks[at] as Block;
      const isOutside = at < frame.first || at >= frame.end;
      if (picked[at] === 1 && isLabel(block, index, { language, isOutside })) picked[at] = 0;
    }
  }
}

/** The largest element around code that holds a few short lines besides, and no other code. */
function frameOf(blocks: readonly Block[], code: Scope): Scope {
  let frame = code;
  for (let up = code.parent, n = 0; up !== null && n < mostLevels; up = up.parent, n++) {
    if (up.end - up.first > mostLabels + 1) break;
    const others = blocks.slice(up.first, up.end).filter(({ index }) => index !== code.first);
    if (!others.every(isOnFrame)) break;
    frame = up;
  }
  return frame;
}

/** Language of the code: empty where it is not known. Outside: not in its frame, where a paragraph is text. */
function isLabel(
  block: Block,
  codeAt: number,
  { language, isOutside }: { language: string; isOutside: boolean },
): boolean {
  const { text, controls, scope, preformatted } = block;
  if (text === '' || preformatted || text.length > longestLabel || titles.test(scope.tag)) return false;
  if (controls > 0 && controls === countInk(text)) return true;
  if (isOutside && scope.tag === 'p') return false;
  const isApart = codeAt < scope.first || codeAt >= scope.end;
  if (isApart && copyName.test(scope.element.attribs['class']?.slice(0, 300) ?? '')) return true;
  if (language === '') return false;
  const words = controls > 0 ? wordsOffButtons(block) : text;
  const isAlias = scope.tag !== 'p' && isSameLanguage(words, language);
  return isAlias || bare(words) === bare(language);
}

function wordsOffButtons({ nodes, scope }: Block): string {
  const isOnButton = (node: Block['nodes'][number]): boolean => {
    for (
      let up = node.parent, n = 0;
      up !== null && up !== scope.element && n < mostLevels;
      up = up.parent, n++
    )
      if (isTag(up) && up.name === 'button') return true;
    return false;
  };
  return nodes
    .map((node) => ('data' in node && !isOnButton(node) ? node.data : ''))
    .join('')
    .trim();
}
