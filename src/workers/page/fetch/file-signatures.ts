const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');

/** First bytes of files that are no text, after the MIME sniffing standard (section 6) and the formats' own. */
const signatures: readonly Buffer[] = [
  '89 50 4e 47 0d 0a 1a 0a', // PNG
  '89 50 4e 47 00', // PNG, damaged on its way
  '47 49 46 38 37 61', // GIF87a
  '47 49 46 38 39 61', // GIF89a
  'ff d8 ff', // JPEG
  '49 49 2a 00', // TIFF
  '4d 4d 00 2a',
  '00 00 01 00', // ICO
  '38 42 50 53 00 01', // Photoshop
  '50 4b 03 04', // ZIP, and office documents
  '50 4b 05 06',
  '1f 8b 08', // gzip
  '42 5a 68 39 31 41 59 26 53 59', // bzip2
  'fd 37 7a 58 5a 00', // xz
  '28 b5 2f fd', // zstd
  '37 7a bc af 27 1c', // 7z
  '52 61 72 21 1a 07', // RAR
  'd0 cf 11 e0 a1 b1 1a e1', // older office documents
  '7b 5c 72 74 66', // RTF
  '7f 45 4c 46', // ELF
  '4d 5a 90 00', // Windows program
  '00 61 73 6d', // WebAssembly
  '77 4f 46 46 00', // WOFF
  '77 4f 46 32 00',
  '4f 67 67 53 00', // Ogg
  '49 44 33 02', // MP3
  '49 44 33 03',
  '49 44 33 04',
  '1a 45 df a3', // Matroska, WebM
  '53 51 4c 69 74 65 20 66 6f 72 6d 61 74 20 33 00', // SQLite
].map(bytes);

/** A body that begins so is a picture, an archive or another file, whatever its server calls it. */
export function startsAsFile(head: Buffer): boolean {
  if (signatures.some((signature) => head.subarray(0, signature.length).equals(signature))) return true;
  const kind = head.subarray(8, 12).toString('latin1');
  if (head.subarray(0, 4).toString('latin1') === 'RIFF') return /^(WEBP|WAVE|AVI )$/.test(kind);
  // Of MP4 and its kin (AVIF, HEIC): the length of the first box, then its name.
  return head[0] === 0 && head.subarray(4, 8).toString('latin1') === 'ftyp';
}
