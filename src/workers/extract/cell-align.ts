import type { Element } from 'domhandler';

/** Where the text of a cell stands, by its attribute or style. */
export function alignOf({ attribs }: Element): 'left' | 'right' | 'center' | null {
  const told =
    attribs['align'] ?? /text-align\s*:\s*(left|right|center|end)/i.exec(attribs['style'] ?? '')?.[1];
  const align = told?.trim().toLowerCase();
  if (align === 'end') return 'right';
  return align === 'left' || align === 'right' || align === 'center' ? align : null;
}
