import mammoth from 'mammoth';
import { isExhaustion } from '../../shared/tasks/exhaustion.ts';
import type { DocumentContent } from './document-content.ts';
import { attribute, readPart, readProperties, readRelations, unreadable } from './office-file.ts';
import { putFormulas, takeFormulas } from './word-formulas.ts';
import { markNumbers, readMarks } from './word-numbers.ts';
import { headingStyles, styleOutline } from './word-outline.ts';
import { dropHidden, openFields, tellEquations } from './word-runs.ts';
import { checkZip, replaceEntry, type ZipEntry } from './zip.ts';

const options = {
  // Pictures stand inside of the file: they have no address.
  convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
  styleMap: [
    "p[style-name='Title'] => h1:fresh",
    "p[style-name='Subtitle'] => p:fresh",
    ...['Code', 'Source Code', 'HTML Preformatted', 'Preformatted Text'].map(
      (name) => `p[style-name='${name}'] => pre:separator('\n')`,
    ),
    ...['Quote', 'Intense Quote', 'Quotations'].map(
      (name) => `p[style-name='${name}'] => blockquote > p:fresh`,
    ),
    // Words before and after it are two.
    "br[type='page'] => br",
    "br[type='column'] => br",
  ],
};

/** A Word document. @throws AppError `unsupported_content`, `target_too_large`. */
export async function readWordDocument(file: Buffer): Promise<DocumentContent> {
  const entries = checkZip(file);
  const properties = readProperties(file, entries);
  try {
    const formulas: string[] = [];
    const { buffer, styles, isLess } = withMarks(file, entries, formulas);
    const styleMap = [...options.styleMap, ...headingStyles(styles)];
    const { value } = await mammoth.convertToHtml({ buffer }, { ...options, styleMap });
    const html = putFormulas(readMarks(showBoxes(value.replace(/<img[^>]*>/g, ''))), formulas);
    return { ...properties, html, warnings: isLess ? [hiddenText] : [] };
  } catch (error) {
    if (isExhaustion(error)) throw error;
    throw unreadable('Word document', error);
  }
}

const hiddenText = {
  code: 'hidden_parts',
  message: 'The document hides some of its text, which is left out.',
};

/** A box that an item begins with is that of a task; any other is a sign in the text. */
const showBoxes = (html: string): string =>
  html.replace(
    /(<li>)?<input type="checkbox"( checked="checked")? ?\/>/g,
    (_box, item: string | undefined, checked: string | undefined) => {
      if (item === undefined) return checked === undefined ? '☐' : '☒';
      return `${item}<input type="checkbox" disabled${checked === undefined ? '' : ' checked'}>`;
    },
  );

const relationTypes = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/';

/** The parts that the converter reads for the relationships of another, or of the package, by the names of their types. */
function findParts(file: Buffer, entries: readonly ZipEntry[], from: string): (name: string) => string {
  const known = new Set(entries.map(({ name }) => name));
  const folder = from.slice(0, from.lastIndexOf('/') + 1);
  const parts = new Map<string | null, string>();
  for (const tag of readRelations(file, entries, from)) {
    const [type, target] = [attribute(tag, 'Type'), attribute(tag, 'Target') ?? ''];
    const path = target.startsWith('/') ? target.slice(1) : folder + target;
    if (!parts.has(type) && known.has(path)) parts.set(type, path);
  }
  return (name) =>
    parts.get(relationTypes + name) ?? `word/${name.replace('officeDocument', 'document')}.xml`;
}

/**
 * A Word document that says in its text the numbers of paragraphs, for `readMarks`, and which formula stands where, and
 * has no hidden text; with the part of its styles.
 */
function withMarks(
  file: Buffer,
  entries: readonly ZipEntry[],
  formulas: string[],
): { buffer: Buffer; styles: string; isLess: boolean } {
  const main = findParts(file, entries, '')('officeDocument');
  const partOf = findParts(file, entries, main);
  const numbering = readPart(file, entries, partOf('numbering'));
  const styles = readPart(file, entries, partOf('styles'));
  let [marked, isLess] = [file, false];
  for (const name of new Set([main, partOf('footnotes'), partOf('endnotes')])) {
    const text = readPart(file, entries, name);
    const shown = dropHidden(text);
    isLess ||= shown.isLess;
    let content = openFields(tellEquations(takeFormulas(shown.xml, formulas)));
    if (numbering !== '' && name === main) content = markNumbers(content, numbering, styles);
    if (name === main) content = styleOutline(content);
    if (content !== text) marked = replaceEntry(marked, name, Buffer.from(content));
  }
  return { buffer: marked, styles, isLess };
}
