/** Chinese and Japanese: a letter says about as much as three of other scripts, and no spaces tell words. */
export const isDense = (code: number): boolean => code >= 0x3040 && code <= 0x9fff;

export const lettersOfDense = 3;

/** Characters that are no white space, as many as the same would have in other scripts. */
export function countInk(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 32 && code !== 160) count += isDense(code) ? lettersOfDense : 1;
  }
  return count;
}

/** Characters, as many as the same would have in other scripts. */
export const sizeOf = (text: string): number => Math.max(text.length, countInk(text));
