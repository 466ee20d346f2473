import { getDocumentProxy } from 'unpdf';
import { AppError } from '../../shared/errors.ts';
import type { Warning } from '../../shared/schemas/job.ts';
import { readIsoDate } from '../extract/iso-date.ts';
import { toLanguageTag } from '../extract/language-tag.ts';
import { pdfWithoutText } from '../page/fetch/pdf-without-text.ts';
import type { DocumentContent } from './document-content.ts';
import { blocksToHtml, continueList, type PdfBlock, toBlocks } from './pdf-blocks.ts';
import { toReadingOrder } from './pdf-columns.ts';
import { toLines } from './pdf-lines.ts';
import type { Glyphs } from './pdf-runs.ts';
import { toSegments } from './pdf-segments.ts';
import { givenTitle } from './placeholders.ts';
import { dropRunningLines, type Page } from './pdf-running-lines.ts';
import { isBrokenAt, joinLines, mendLigatures } from './pdf-text.ts';

const mostPages = 3_000;
const mostRuns = 3_000_000;

/**
 * Reads a PDF: headings by their size, paragraphs over line ends, lists, aligned tables, column after column, without
 * running heads and page numbers. A rule with `data-page` marks each page but the first.
 * @throws AppError `unsupported_content` (damaged, encrypted), `target_too_large`.
 */
export async function readPdfDocument(bytes: Uint8Array): Promise<DocumentContent> {
  const document = await openPdf(bytes);
  if (document.numPages > mostPages) {
    throw new AppError(
      'target_too_large',
      `The PDF has ${document.numPages} pages; at most ${mostPages} are read. Give a shorter document.`,
    );
  }
  const { pages, sizes, unread } = await readPages(document);
  dropRunningLines(pages);
  const bodySize = [...sizes].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 10;
  const html = pagesToHtml(pages, bodySize);
  const info = await readInfo(document);
  await document.loadingTask.destroy();
  const warnings: Warning[] = unread > 0 ? [damagedPages(unread)] : [];
  if (html === '') warnings.push(pdfWithoutText);
  return { ...info, html, warnings };
}

const damagedPages = (count: number): Warning => ({
  code: 'document_truncated',
  message: `${count} of the PDF's pages are damaged and left out.`,
});
const damaged = (cause: unknown): AppError =>
  new AppError(
    'unsupported_content',
    'The PDF is damaged and cannot be read. Give the URL of another copy.',
    {
      cause,
    },
  );

/** Every page that can be read, and how much text of each size, in points, they have. */
async function readPages(
  document: PdfDocument,
): Promise<{ pages: Page[]; sizes: Map<number, number>; unread: number }> {
  const pages: Page[] = [];
  const sizes = new Map<number, number>();
  let [runs, unread] = [0, 0];
  for (let number = 1; number <= document.numPages; number++) {
    let glyphs: Glyphs[];
    try {
      const page = await document.getPage(number);
      const { items, styles } = await page.getTextContent();
      runs += items.length;
      glyphs = upright(items.filter((item) => 'str' in item)).flatMap((run) =>
        toGlyphs(run, styles[run.fontName]?.fontFamily === 'monospace'),
      );
      page.cleanup();
    } catch (error) {
      if (++unread === document.numPages) throw damaged(error);
      continue;
    }
    if (runs > mostRuns)
      throw new AppError('target_too_large', 'The PDF has too much text. Give a shorter document.');
    for (const { size, text } of glyphs) {
      const key = Math.round(size * 2) / 2;
      sizes.set(key, (sizes.get(key) ?? 0) + text.length);
    }
    pages.push({ number, columns: toReadingOrder(toSegments(glyphs)).map(toLines) });
  }
  return { pages, sizes, unread };
}

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;

async function openPdf(bytes: Uint8Array): Promise<PdfDocument> {
  try {
    return await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
  } catch (error) {
    const isLocked = (error as Error).name === 'PasswordException';
    if (!isLocked) throw damaged(error);
    throw new AppError(
      'unsupported_content',
      'The PDF is encrypted: it opens with a password only. Give the URL of a copy without one.',
      { cause: error },
    );
  }
}

interface Run {
  str: string;
  fontName: string;
  /** The matrix of ISO 32000-1, 8.3.3. */
  transform: number[];
  width: number;
  height: number;
}

/** The runs of a page as they stand where it is turned until most of its text is upright. */
function upright(runs: readonly Run[]): readonly Run[] {
  const lengths = new Map<number, number>();
  const angleOf = ({ transform: [a = 1, b = 0] }: Run): number =>
    Math.round((Math.atan2(b, a) * 180) / Math.PI);
  for (const run of runs) {
    const angle = angleOf(run);
    lengths.set(angle, (lengths.get(angle) ?? 0) + run.str.trim().length);
  }
  const [angle = 0] = [...lengths].sort((a, b) => b[1] - a[1])[0] ?? [];
  if (angle === 0) return runs;
  const [cos, sin] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
  return runs.map((run) => {
    const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = run.transform;
    return { ...run, transform: [a, b, c, d, x * cos + y * sin, y * cos - x * sin] };
  });
}

function toGlyphs(item: Run, isFixed: boolean): Glyphs[] {
  const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = item.transform;
  const text = mendLigatures(item.str.replaceAll('\0', ''));
  if (text === '') return [];
  const size = Math.hypot(c, d) || Math.hypot(a, b) || item.height || 10;
  return [{ text, x, y, width: item.width, size, isFixed }];
}

function pagesToHtml(pages: readonly Page[], bodySize: number): string {
  const out: string[] = [];
  let last: PdfBlock | undefined;
  for (const { number, columns } of pages) {
    const blocks = joinColumns(columns.map((lines) => toBlocks(lines, bodySize)));
    const first = blocks[0];
    // A paragraph that goes on over the page stays one; its page mark stands behind it.
    if (last?.kind === 'paragraph' && first?.kind === 'paragraph' && goesOn(last.text, first.text)) {
      out[out.length - 1] = blocksToHtml([{ ...first, text: joinLines([last.text, first.text]) }]);
      blocks.shift();
    }
    if (number > 1 && (blocks.length > 0 || first !== undefined)) out.push(`<hr data-page="${number}">`);
    if (blocks.length > 0) {
      const tail = blocks.pop() as PdfBlock;
      if (blocks.length > 0 && tail.kind === 'paragraph')
        out.push(blocksToHtml(blocks), blocksToHtml([tail]));
      else out.push(blocksToHtml([...blocks, tail]));
      last = tail;
    } else if (first !== undefined) last = undefined;
  }
  return out.join('\n').trim();
}

/** A paragraph or an item that goes on at the head of the next column stays one. */
function joinColumns(columns: readonly PdfBlock[][]): PdfBlock[] {
  const joined: PdfBlock[] = [];
  for (const column of columns) {
    continueList(joined, column);
    const [first, ...rest] = column;
    const last = joined.at(-1);
    const isCut =
      (last?.kind === 'paragraph' || last?.kind === 'item') &&
      first?.kind === 'paragraph' &&
      goesOn(last.text, first.text);
    if (isCut) last.text = joinLines([last.text, first.text]);
    else if (first !== undefined) joined.push(first);
    joined.push(...rest);
  }
  return joined;
}

const goesOn = (before: string, after: string): boolean =>
  (!/[.!?:;"”»)\]…]$/.test(before) && /^\p{Ll}/u.test(after)) || isBrokenAt(before, after);

async function readInfo(document: PdfDocument): Promise<Omit<DocumentContent, 'html' | 'warnings'>> {
  const { info } = await document.getMetadata().catch(() => ({ info: {} }));
  const told = info as Record<string, unknown>;
  const text = (name: string): string | null => {
    const value = told[name];
    return typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, 1_000) : null;
  };
  return {
    title: givenTitle(text('Title')),
    author: text('Author'),
    publishedAt: pdfDate(text('CreationDate')),
    modifiedAt: pdfDate(text('ModDate')),
    language: toLanguageTag(text('Language')),
  };
}

/** `D:20260314093000+01'00'` (ISO 32000-1, 7.9.4). */
function pdfDate(text: string | null): string | null {
  const match = /^D:(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2})?)?(Z|[+-]\d{2})?'?(\d{2})?/.exec(
    text ?? '',
  );
  if (match === null) return null;
  const [, year, month, day, hour, minute, second = '00', zone = '', zoneMinutes = '00'] = match;
  const date = `${year}-${month}-${day}`;
  const offset = zone === 'Z' || zone === '' ? zone : `${zone}:${zoneMinutes}`;
  const whole = hour === undefined ? date : `${date}T${hour}:${minute}:${second}${offset}`;
  return readIsoDate(whole) ?? null;
}
