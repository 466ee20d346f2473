import { type AnyNode, type Element, isTag, isText } from 'domhandler';

/** Deeper, a formula is its characters. */
const deepest = 100;
const functions = new Set(
  'arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf limsup ln log max min mod Pr sec sin sinh sup tan tanh'.split(
    ' ',
  ),
);
const escapes: Readonly<Record<string, string>> = {
  '\\': '\\backslash',
  '−': '-',
  '′': "'",
  '~': '\\sim',
  '^': '\\hat{}',
};
const accentNames: Readonly<Record<string, string>> = {
  '^ˆ\u0302': '\\hat',
  'ˇ\u030c': '\\check',
  '˘\u0306': '\\breve',
  '´\u0301': '\\acute',
  '`\u0300': '\\grave',
  '¯‾_\u0305': '\\overline',
  '\u0304': '\\bar',
  '→\u20d7': '\\vec',
  '~˜\u0303': '\\tilde',
  '˙.\u0307': '\\dot',
  '¨\u0308': '\\ddot',
  '⏞': '\\overbrace',
};
const underNames: Readonly<Record<string, string>> = {
  '_¯‾\u0305\u0332': '\\underline',
  '⏟': '\\underbrace',
};
/** By what stands for them once it is escaped. */
const byMark = (names: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(names).flatMap(([marks, name]) => [...marks].map((mark) => [escape(mark), name])));
const accents = byMark(accentNames);
const underAccents = byMark(underNames);
/** Of `mathvariant`. */
const variants = new Map([
  ['bold', '\\mathbf'],
  ['bold-italic', '\\boldsymbol'],
  ['double-struck', '\\mathbb'],
  ['fraktur', '\\mathfrak'],
  ['monospace', '\\mathtt'],
  ['normal', '\\mathrm'],
  ['sans-serif', '\\mathsf'],
  ['script', '\\mathcal'],
]);
/** Of which only the first child is shown. */
const firstOnly = new Set(['semantics', 'maction']);

/** A formula in presentation MathML (https://www.w3.org/TR/mathml-core/) as TeX; null where it is nested too deeply. */
export function texOf(math: Element): string | null {
  let isTooDeep = false;

  function read(node: AnyNode, depth: number): string {
    if (isText(node)) return escape(node.data.trim());
    if (!isTag(node)) return '';
    if (depth > deepest) {
      isTooDeep = true;
      return '';
    }
    const { name: tag, attribs } = node;
    if (tag === 'mtext' || tag === 'ms') return readText(node);
    if (tag === 'mspace') return ' ';
    if (tag === 'mphantom' || tag === 'none' || tag.startsWith('annotation')) return '';
    const shown = node.children.filter(
      (child) => isTag(child) || (isText(child) && child.data.trim() !== ''),
    );
    const parts = (firstOnly.has(tag) ? shown.slice(0, 1) : shown).map((child) => read(child, depth + 1));
    const [a = '', b = '', c = ''] = parts;
    switch (tag) {
      case 'mi':
        return nameOf(join(parts), attribs['mathvariant']?.trim());
      case 'mn':
        return styled(join(parts), attribs['mathvariant']?.trim());
      case 'mo':
        return functions.has(a) ? `\\${a}` : join(parts);
      case 'mfrac':
        return /^0(?:[a-z%]|\.0*)*$/.test(attribs['linethickness']?.trim() ?? '')
          ? `{${a} \\atop ${b}}`
          : `\\frac{${a}}{${b}}`;
      case 'msqrt':
        return `\\sqrt{${join(parts)}}`;
      case 'mroot':
        return `\\sqrt[${b}]{${a}}`;
      case 'msup':
        return /^'+$/.test(b) ? a + b : `${base(a)}^${argument(b)}`;
      case 'munder':
        if (underAccents.has(b)) return `${underAccents.get(b)}{${a}}`;
        return `${base(a)}_${argument(b)}`;
      case 'msub':
        return `${base(a)}_${argument(b)}`;
      case 'mover':
        return accents.has(b) ? `${accents.get(b)}{${a}}` : `${base(a)}^${argument(b)}`;
      case 'msubsup':
      case 'munderover':
        return `${base(a)}_${argument(b)}^${argument(c)}`;
      case 'mfenced':
        return fenced(parts.join(separatorOf(attribs['separators'])), attribs);
      case 'mtable':
        return `\\begin{matrix}${parts.join(' \\\\ ')}\\end{matrix}`;
      case 'mtr':
      case 'mlabeledtr':
        return parts.join(' & ');
      default:
        return join(parts);
    }
  }

  const tex = read(math, 0).replace(/\s+/g, ' ').trim();
  return isTooDeep ? null : tex;
}

function readText(node: Element): string {
  const text = node.children
    .filter((child) => isText(child))
    .map(({ data }) => data)
    .join('')
    .replace(/\s+/g, ' ');
  return text.trim() === '' ? ' ' : `\\text{${text.replace(/[{}\\]/g, '')}}`;
}

function escape(text: string): string {
  return text
    .replace(/[\u2061-\u2064\u200b]/g, '')
    .replace(/[\u{1d434}-\u{1d467}\u210e]/gu, (letter) => letter.normalize('NFKC'))
    .replace(/[{}%#&$_]/g, '\\$&')
    .replace(/[\\−′~^](?![{}%#&$_])/g, (character) => escapes[character] ?? character);
}

const separatorOf = (separators = ','): string => escape(separators.trim()[0] ?? '');

/** Names of more than one letter stand upright. */
function nameOf(name: string, variant = ''): string {
  if (!/^[A-Za-z]{2,}$/.test(name) || (variants.has(variant) && variant !== 'normal'))
    return styled(name, variant);
  return functions.has(name) ? `\\${name}` : `\\operatorname{${name}}`;
}

function styled(text: string, variant = ''): string {
  const isLetters = (variant === 'normal' ? /^[A-Za-z]$/ : /^[A-Za-z\d]+$/).test(text);
  return isLetters && variants.has(variant) ? `${variants.get(variant)}{${text}}` : text;
}

/** Fences grow with what is taller than a line. */
function fenced(tex: string, { open = '(', close = ')' }: Element['attribs']): string {
  const [before, after] = [escape(open), escape(close)];
  if (!/\\(?:frac|begin|atop)\b/.test(tex)) return before + tex + after;
  return `\\left${before || '.'} ${tex}\\right${after || '.'}`;
}

/** Parts beside each other: a command ends before a letter. */
const join = (parts: readonly string[]): string =>
  parts
    .filter(Boolean)
    .map((part, at, shown) =>
      /^[A-Za-z]/.test(part) && /\\[A-Za-z]+$/.test(shown[at - 1] ?? '') ? ` ${part}` : part,
    )
    .join('');

const argument = (tex: string): string => ([...tex].length === 1 ? tex : `{${tex}}`);
const base = (tex: string): string =>
  /^(?:.|\\[A-Za-z]+|\\[A-Za-z]+\{[^{}]*\}|\d+)$/u.test(tex) ? tex : `{${tex}}`;
