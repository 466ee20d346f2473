/** A run of text on a PDF page, in points; `y` grows upwards. */
export interface Glyphs {
  text: string;
  x: number;
  y: number;
  width: number;
  size: number;
  /** In a font whose characters are all of one width. */
  isFixed?: boolean;
}

/** With its place in the order in which the page is drawn. */
export interface Placed extends Glyphs {
  drawn: number;
}

/** Of any number of values, which arguments of a function are not. */
export const leastOf = (values: readonly number[]): number =>
  values.reduce((least, value) => Math.min(least, value), Infinity);
export const mostOf = (values: readonly number[]): number =>
  values.reduce((most, value) => Math.max(most, value), -Infinity);

const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/gu;
export const leftToRight = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Han}\p{N}]/gu;
export const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** Whether most of a text is written from right to left. */
export const isRightToLeft = (text: string): boolean =>
  countOf(text, rightToLeft) > countOf(text, leftToRight);
