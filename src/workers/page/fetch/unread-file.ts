import { isZip, readPartNames } from './office-kind.ts';

/** The compound file of Office 97 to 2003 (MS-CFB, section 2.2); encrypted documents of today are wrapped in one. */
const compoundHead = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const encryptedPart = Buffer.from('EncryptedPackage', 'utf16le');
const otherCopy = 'Give the URL of a copy as PDF, DOCX or XLSX.';

/** What a file is that is not read, and how to mend it, as the end of a sentence; null where its bytes do not tell. */
export function explainFile(bytes: Buffer): string | null {
  if (bytes.subarray(0, compoundHead.length).equals(compoundHead)) {
    return bytes.includes(encryptedPart)
      ? 'an Office document that is encrypted: it opens with a password only. Give the URL of a copy without one.'
      : `a document of Office 2003 or older (DOC, XLS, PPT), which is not read. ${otherCopy}`;
  }
  if (bytes.subarray(0, 5).toString('latin1') === '{\\rtf')
    return `an RTF document, which is not read. ${otherCopy}`;
  if (!isZip(bytes)) return null;
  const names = readPartNames(bytes);
  if (names === null) {
    return 'an Office document or another ZIP file that is damaged: the list of its parts is missing. Give the URL of another copy.';
  }
  if (names.some((name) => name.startsWith('ppt/')))
    return `a presentation (PPTX), which is not read. ${otherCopy}`;
  if (names.includes('META-INF/container.xml')) return `an e-book (EPUB), which is not read. ${otherCopy}`;
  if (names.includes('mimetype') && names.includes('content.xml'))
    return `an OpenDocument file, which is not read. ${otherCopy}`;
  return 'a ZIP archive. Give the URL of a document in it.';
}
