import { randomBytes } from 'node:crypto';

/**
 * Material between marks that it cannot know, so that it cannot end them. What it says is never an instruction: the
 * system text says so, and names the marks.
 */
export function delimit(text: string): { mark: string; material: string } {
  const mark = `material-${randomBytes(8).toString('hex')}`;
  return { mark, material: `<${mark}>\n${text}\n</${mark}>` };
}
