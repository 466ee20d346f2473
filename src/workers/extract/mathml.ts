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
  '^': '\\hat',
  ˆ: '\\hat',
  '¯': '\\overline',
  '‾': '\\overline',
  _: '\\overline',
  '→': '\\vec',
  '⃗': '\\vec',
  '~': '\\tilde',
  '˜': '\\tilde',
  '˙': '\\dot',
  '.': '\\dot',
  '¨': '\\ddot',
  '⏞': '\\overbrace',
};
/** By what stands for them once it is escaped. */
const accents = new Map(Object.entries(accentNames).map(([mark, name]) => [escape(mark), name]));
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
        return nameOf(join(parts));
      case 'mfrac':
        return `\\frac{${a}}{${b}}`;
      case 'msqrt':
        return `\\sqrt{${join(parts)}}`;
      case 'mroot':
        return `\\sqrt[${b}]{${a}}`;
      case 'msup':
        return /^'+$/.test(b) ? a + b : `${base(a)}^${argument(b)}`;
      case 'msub':
      case 'munder':
        return `${base(a)}_${argument(b)}`;
      case 'mover':
        return accents.has(b) ? `${accents.get(b)}{${a}}` : `${base(a)}^${argument(b)}`;
      case 'msubsup':
      case 'munderover':
        return `${base(a)}_${argument(b)}^${argument(c)}`;
      case 'mfenced':
        return `${escape(attribs['open'] ?? '(')}${parts.join(separatorOf(attribs['separators']))}${escape(attribs['close'] ?? ')')}`;
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
    .replace(/[{}%#&$_]/g, '\\$&')
    .replace(/[\\−′~^](?![{}%#&$_])/g, (character) => escapes[character] ?? character);
}

const separatorOf = (separators = ','): string => escape(separators.trim()[0] ?? '');

/** Names of more than one letter stand upright. */
function nameOf(name: string): string {
  if (!/^[A-Za-z]{2,}$/.test(name)) return name;
  return functions.has(name) ? `\\${name}` : `\\operatorname{${name}}`;
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
  [...tex].length <= 1 || /^(?:\\[A-Za-z]+|\\[A-Za-z]+\{[^{}]*\}|\d+)$/.test(tex) ? tex : `{${tex}}`;
