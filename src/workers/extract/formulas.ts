import { type Element, isTag } from 'domhandler';
import { holdsFormula } from './element-kinds.ts';
import { texOf } from './mathml.ts';
import { walk } from './walk.ts';

/** MathML, or the TeX that MathJax 2 reads from a script. */
export const isFormula = ({ name, attribs }: Element): boolean =>
  name === 'math' || (name === 'script' && /^\s*math\/tex/i.test(attribs['type'] ?? ''));

function elementBeside(element: Element, side: 'prev' | 'next'): Element | null {
  let beside = element[side];
  while (beside !== null && !isTag(beside)) beside = beside[side];
  return beside;
}

/** What shows a formula that is told by the element beside it. */
export function showsFormula(element: Element): boolean {
  const { name, attribs } = element;
  if (name === 'img') {
    const before = attribs['aria-hidden'] === 'true' ? elementBeside(element, 'prev') : null;
    return before !== null && holdsFormula(before);
  }
  // MathJax 2 puts a preview and what it has drawn before its script.
  let next: Element | null = element;
  for (let n = 0; n < 2 && next?.attribs['class']?.startsWith('MathJax') === true; n++) {
    next = elementBeside(next, 'next');
  }
  return next !== null && next !== element && isFormula(next);
}

/** Characters that keep TeX in a script from being read as XML. */
const xmlGuard = /^%\s*<!\[CDATA\[|%?(?<!\s)\s*\]\]>$/g;

/** The source of a formula where it is given, else TeX of its MathML. */
export function mathText(math: Element): string {
  const parts: string[] = [];
  let source: string | null = math.attribs['alttext'] ?? null;
  let annotation = 0;
  walk(
    math,
    ({ name, attribs }) => {
      if (name.startsWith('annotation')) annotation++;
      if (name === 'annotation' && /tex/i.test(attribs['encoding'] ?? '')) source = '';
      return true;
    },
    ({ name }) => {
      if (name.startsWith('annotation')) annotation--;
    },
    ({ data }) => {
      if (annotation === 0) parts.push(data);
      else if (source === '') source = data;
    },
  );
  const text = source || (math.name === 'math' ? texOf(math) : null) || parts.join('');
  return text.trim().replace(xmlGuard, '').trim();
}
