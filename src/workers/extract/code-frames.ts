import type { Block } from './blocks.ts';

/** Characters. */
export const longestLabel = 60;

/** Whether it may stand on the frame of code: the name of a file, that of a language, a button, the title of it all. */
export const isOnFrame = ({ text, scope, preformatted }: Block): boolean =>
  !preformatted &&
  (scope.tag === 'figcaption' || (text.length <= longestLabel && !/\n|\s\S*[.!?]$|[:;,]$/.test(text)));
