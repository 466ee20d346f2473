import { extractText, getDocumentProxy, getMeta } from 'unpdf';
import { boundTitle } from '../html/title.ts';

export interface PdfText {
  title: string | null;
  text: string;
}

/** Reads the text of a PDF, one block a page. @throws Error where the bytes are no PDF or it is encrypted. */
export default async function readPdf(bytes: Uint8Array): Promise<PdfText> {
  const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
  const { text } = await extractText(document, { mergePages: false });
  const { info } = await getMeta(document);
  const title: unknown = (info as Record<string, unknown> | undefined)?.['Title'];
  return {
    title: typeof title === 'string' && title.trim() !== '' ? boundTitle(title.trim()) : null,
    text: text
      .map((page) => page.replaceAll('\0', '').trim())
      .filter((page) => page !== '')
      .join('\n\n'),
  };
}
