import { decodeXML } from 'entities';
import { escapeText, escapeValue } from '../extract/content-html.ts';
import { markSecret } from './mark-secret.ts';

/** An element of a formula, by its name with the prefix that every program gives it. */
interface Part {
  name: string;
  /** Of the attribute `m:val`. */
  value: string | undefined;
  text: string;
  /** Where its content begins. */
  from: number;
  children: Part[];
}

/** Deeper, a formula is left out. */
const deepest = 100;
const [open, close] = [`\ufdd2${markSecret}-`, '\ufdd3'];
const marked = new RegExp(`${open}(\\d+)${close}`, 'g');
const tags = /<(\/?)([mw]:\w+)((?:[\s/](?:[^<>"']|"[^"<]*"|'[^'<]*')*)?)>/g;
/** Properties, and what stands there no more. */
const silent = /Pr$|^w:(?:del|moveFrom|instrText)$/;
const tokens = /\p{L}\p{M}*|\d+(?:[.,]\d+)*|\s+|./gsu;
/** Of upright text: letters side by side are a name. */
const uprightTokens = /\p{L}[\p{L}\p{M}]*|\d+(?:[.,]\d+)*|\s+|./gsu;

const valueOf = (attributes: string): string | undefined => {
  const value = /\sm:val\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(attributes);
  return value === null ? undefined : decodeXML(value[1] ?? value[2] ?? '');
};

/**
 * Takes the formulas (ECMA-376 part 1, section 22.1) out of a part of a Word document, whose converter reads none.
 * @param formulas where they are added, as MathML.
 * @returns the part with a mark in the place of each, for `putFormulas`.
 */
export function takeFormulas(xml: string, formulas: string[]): string {
  const out: string[] = [];
  const path: Part[] = [];
  let from = 0;
  let start = 0;
  for (const match of xml.includes('<m:oMath') ? xml.matchAll(tags) : []) {
    const [whole, slash = '', name = '', attributes = ''] = match;
    const isStart = slash === '';
    if (path.length === 0 && !(isStart && /^m:oMath(?:Para)?$/.test(name))) continue;
    const end = match.index + whole.length;
    if (isStart) {
      const part: Part = { name, value: valueOf(attributes), text: '', from: end, children: [] };
      if (path.length === 0) start = match.index;
      path.at(-1)?.children.push(part);
      path.push(part);
      if (!attributes.endsWith('/')) continue;
    }
    const part = path.at(-1);
    if (part?.name !== name) continue;
    path.pop();
    if (name.endsWith(':t') && !isStart) part.text = decodeXML(xml.slice(part.from, match.index));
    if (path.length > 0) continue;
    out.push(xml.slice(from, start));
    from = end;
    for (const one of name === 'm:oMath' ? [part] : part.children) {
      if (one.name !== 'm:oMath') continue;
      const display = one === part ? '' : ' display="block"';
      const mark = `${open}${formulas.length}${close}`;
      formulas.push(`<math${display}>${write(one, 0, false)}</math>`);
      out.push(`<w:r><w:t>${mark}</w:t></w:r>`);
    }
  }
  return out.join('') + xml.slice(from);
}

/** Puts formulas where their marks are, each once: a note may be told very often. */
export function putFormulas(html: string, formulas: readonly string[]): string {
  const left: (string | undefined)[] = [...formulas];
  return html.replace(marked, (_mark, at: string) => {
    const formula = left[Number(at)] ?? '';
    left[Number(at)] = undefined;
    return formula;
  });
}

const property = (part: Part, name: string): Part | undefined =>
  part.children
    .find((child) => child.name === `${part.name}Pr`)
    ?.children.find((child) => child.name === `m:${name}`);

/** A character that a part sets; empty where it sets none. */
function characterOf(part: Part, name: string, standard: string): string {
  const set = property(part, name);
  return set === undefined ? standard : (set.value ?? '');
}

function isOn(part: Part, name: string): boolean {
  const set = property(part, name);
  return set !== undefined && !/^(?:0|off|false)$/.test(set.value ?? '1');
}

const fences = [
  ['open', 'begChr', '('],
  ['close', 'endChr', ')'],
  ['separators', 'sepChr', '|'],
] as const;
const emptyRow = '<mrow></mrow>';
const operator = (text: string): string => `<mo>${escapeText(text)}</mo>`;

/** @param isName in the name of a function, where letters side by side are one. */
function write(part: Part, depth: number, isName: boolean): string {
  const { name, children } = part;
  if (depth > deepest || silent.test(name)) return '';
  const all = (parts: readonly Part[], areNames = isName): string =>
    parts.map((child) => write(child, depth + 1, areNames)).join('');
  const named = (one: string): Part[] => children.filter((child) => child.name === `m:${one}`);
  const row = (one: string): string => `<mrow>${all(named(one))}</mrow>`;
  switch (name) {
    case 'm:r':
      return writeRun(part, isName);
    case 'w:t':
      return `<mtext>${escapeText(part.text)}</mtext>`;
    case 'm:f': {
      const type = property(part, 'type')?.value;
      if (type === 'lin') return row('num') + operator('/') + row('den');
      return `<mfrac${type === 'noBar' ? ' linethickness="0"' : ''}>${row('num')}${row('den')}</mfrac>`;
    }
    case 'm:sSup':
      return `<msup>${row('e')}${row('sup')}</msup>`;
    case 'm:sSub':
      return `<msub>${row('e')}${row('sub')}</msub>`;
    case 'm:sSubSup':
      return `<msubsup>${row('e')}${row('sub')}${row('sup')}</msubsup>`;
    case 'm:sPre':
      return `<msubsup><mrow></mrow>${row('sub')}${row('sup')}</msubsup>${row('e')}`;
    case 'm:rad': {
      const degree = isOn(part, 'degHide') ? emptyRow : row('deg');
      return degree === emptyRow ? `<msqrt>${row('e')}</msqrt>` : `<mroot>${row('e')}${degree}</mroot>`;
    }
    case 'm:nary': {
      const sign = operator(characterOf(part, 'chr', '∫'));
      const [sub = emptyRow, sup = emptyRow] = ['sub', 'sup'].map((one) =>
        isOn(part, `${one}Hide`) ? emptyRow : row(one),
      );
      const tag = `m${sub === emptyRow ? '' : 'sub'}${sup === emptyRow ? '' : 'sup'}`;
      const limits = [sub, sup].filter((limit) => limit !== emptyRow).join('');
      return (limits === '' ? sign : `<${tag}>${sign}${limits}</${tag}>`) + row('e');
    }
    case 'm:d': {
      const attributes = fences.map(
        ([attribute, own, standard]) => ` ${attribute}="${escapeValue(characterOf(part, own, standard))}"`,
      );
      const inside = named('e').map((child) => `<mrow>${all([child])}</mrow>`);
      return `<mfenced${attributes.join('')}>${inside.join('')}</mfenced>`;
    }
    case 'm:func':
      return `<mrow>${all(named('fName'), true)}</mrow>${operator('\u2061')}${row('e')}`;
    case 'm:acc':
      return `<mover>${row('e')}${operator(characterOf(part, 'chr', '\u0302'))}</mover>`;
    case 'm:bar':
      return stack(row('e'), operator('\u0305'), property(part, 'pos')?.value);
    case 'm:groupChr':
      return stack(row('e'), operator(characterOf(part, 'chr', '⏟')), property(part, 'pos')?.value);
    case 'm:limLow':
      return `<munder>${row('e')}${row('lim')}</munder>`;
    case 'm:limUpp':
      return `<mover>${row('e')}${row('lim')}</mover>`;
    case 'm:m':
      return writeTable(named('mr').map((line) => line.children.filter((child) => child.name === 'm:e')));
    case 'm:eqArr':
      return writeTable(named('e').map((line) => [line]));
    case 'm:phant':
      return /^(?:0|off|false)$/.test(property(part, 'show')?.value ?? '') ? '' : row('e');
    default:
      return all(children);
  }

  function writeTable(rows: readonly (readonly Part[])[]): string {
    const lines = rows.map((cells) => cells.map((cell) => `<mtd>${all([cell])}</mtd>`).join(''));
    return `<mtable>${lines.map((line) => `<mtr>${line}</mtr>`).join('')}</mtable>`;
  }
}

/** What stands above a part or, as is usual, below it. */
function stack(part: string, other: string, place: string | undefined): string {
  const tag = place === 'top' ? 'mover' : 'munder';
  return `<${tag}>${part}${other}</${tag}>`;
}

function writeRun(run: Part, isName: boolean): string {
  const text = run.children.map((child) => (child.name.endsWith(':t') ? child.text : '')).join('');
  if (isOn(run, 'nor')) return `<mtext>${escapeText(text)}</mtext>`;
  const style = property(run, 'sty')?.value ?? 'i';
  const look = property(run, 'scr')?.value ?? 'roman';
  const variant = look !== 'roman' ? look : style.startsWith('b') ? 'bold' : style === 'p' ? 'normal' : null;
  const attribute = variant === null ? '' : ` mathvariant="${escapeValue(variant)}"`;
  // An ampersand marks where the lines of an array stand below each other.
  const found = text.replaceAll('&', '').match(isName || style === 'p' ? uprightTokens : tokens) ?? [];
  return found
    .map((token) => {
      if (/^\p{L}/u.test(token)) return `<mi${attribute}>${escapeText(token)}</mi>`;
      if (/^\d/.test(token)) return `<mn${style.startsWith('b') ? attribute : ''}>${token}</mn>`;
      return token.trim() === '' ? '<mspace></mspace>' : operator(token);
    })
    .join('');
}
