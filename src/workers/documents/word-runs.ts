import { escapeText } from '../extract/content-html.ts';
import { attribute } from './office-file.ts';

const tags = /<(\/?)w:(r|rPr|vanish)((?:[\s/][^<>]*)?)>/g;
const off = /\sw:val\s*=\s*["'](?:0|false|off)["']/;
const words = /<w:t(?:\s[^<>]*)?>[^<]*<\/w:t>/g;

/**
 * Leaves out the text that a part of a Word document hides (ECMA-376 part 1, section 17.3.2.41).
 * @returns the part, and whether something was left out.
 */
export function dropHidden(xml: string): { xml: string; isLess: boolean } {
  if (!xml.includes('<w:vanish')) return { xml, isLess: false };
  const out: string[] = [];
  let [from, isLess] = [0, false];
  /** Of the innermost run. Its former properties stand in its own. */
  let [isHidden, depth, content] = [false, 0, -1];
  for (const { 0: tag, 1: slash, 2: name, 3: attributes = '', index } of xml.matchAll(tags)) {
    if (name === 'r' && slash === '') [isHidden, depth, content] = [false, 0, index + tag.length];
    else if (name === 'rPr' && !attributes.endsWith('/')) depth += slash === '' ? 1 : -1;
    else if (name === 'vanish') isHidden ||= content >= 0 && depth === 1 && !off.test(attributes);
    else if (name === 'r') {
      if (isHidden) {
        const run = xml.slice(content, index);
        const left = run.replace(words, '');
        isLess ||= left !== run;
        out.push(xml.slice(from, content), left);
        from = index;
      }
      [isHidden, depth, content] = [false, 0, -1];
    }
  }
  return { xml: out.join('') + xml.slice(from), isLess };
}

/** In the place of an equation that another program has drawn. */
const noFormula = '[formula]';
const objects = /<w:object(?:\s[^<>]*)?>(?:(?!<\/?w:object\b)[^])*?<\/w:object>/g;
const equation = /<o:OLEObject\s[^<>]*ProgID="(?:Equation|MathType)[^"]*"/i;

/** Says where equations of MathType and Equation Editor stand, which are drawings: by their own words, where they have some. */
export function tellEquations(xml: string): string {
  if (!xml.includes('<o:OLEObject')) return xml;
  return xml.replace(objects, (object) => {
    if (!equation.test(object)) return object;
    const [shape = ''] = /<v:shape\s[^<>]*>/.exec(object) ?? [];
    const told = attribute(shape, 'alt')?.trim() ?? '';
    return `<w:t>${escapeText(told === '' ? noFormula : told)}</w:t>`;
  });
}

const simpleField = /<\/?w:fldSimple(?:[\s/][^<>]*)?>/g;

/** Fields that stand in one element, whose text the converter passes over, as what stands in them; `<w:fldSimple/>` has none. */
export const openFields = (xml: string): string =>
  xml.includes('<w:fldSimple') ? xml.replace(simpleField, '') : xml;
