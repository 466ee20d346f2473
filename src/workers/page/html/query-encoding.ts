import { createMultibyteEncoder } from '@exodus/bytes/multi-byte.js';
import { createSinglebyteEncoder } from '@exodus/bytes/single-byte.js';

type Encoder = (text: string) => Uint8Array;

const multibyte = /^(?:gbk|gb18030|big5|euc-jp|iso-2022-jp|shift_jis|euc-kr)$/;
/** What addresses have in these, they have in UTF-8. */
const asUtf8 = /^(?:utf-?8|utf-?16(?:[bl]e)?|replacement)$/;
const beyondAscii = /[^\p{ASCII}]/u;
/** An address of a kind that knows no encoding but UTF-8. */
const otherScheme = /^(?!https?:)[a-z][a-z\d+.-]*:/i;
const encoders = new Map<string, Encoder>();

/** Null for a name that is none of WHATWG's. */
function encoderOf(charset: string): Encoder | null {
  const known = encoders.get(charset);
  if (known !== undefined) return known;
  try {
    const encoder = multibyte.test(charset)
      ? createMultibyteEncoder(charset)
      : createSinglebyteEncoder(charset);
    encoders.set(charset, encoder);
    return encoder;
  } catch {
    return null;
  }
}

/**
 * An address as it stands in a document, its query escaped as the document's encoding has it: so browsers send it (URL
 * standard, "percent-encode after encoding"). The rest of an address is UTF-8 in all documents.
 * @param charset as WHATWG calls it, lower case; null where it is not known. By any other name, the address stays as it is.
 */
export function encodeQuery(address: string, charset: string | null | undefined): string {
  if (charset == null || asUtf8.test(charset) || !beyondAscii.test(address)) return address;
  const start = address.indexOf('?');
  const hash = address.indexOf('#');
  const end = hash === -1 ? address.length : hash;
  if (start === -1 || start > end || otherScheme.test(address.trimStart())) return address;
  const encode = encoderOf(charset);
  if (encode === null) return address;
  const query = address
    .slice(start, end)
    .toWellFormed()
    .replace(/[^\p{ASCII}]+/gu, (run) => escapeRun(run, encode));
  return address.slice(0, start) + query + address.slice(end);
}

function escapeRun(run: string, encode: Encoder): string {
  try {
    return escapeBytes(encode(run));
  } catch {
    const [first = '', ...rest] = run;
    // What the encoding lacks is written as a reference.
    if (rest.length === 0) return `%26%23${first.codePointAt(0)}%3B`;
    return [...run].map((one) => escapeRun(one, encode)).join('');
  }
}

/** Bytes that are not those of a query are escaped. */
const escapeBytes = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => {
    const isKept = byte > 0x20 && byte < 0x7f && !`"#<>'`.includes(String.fromCharCode(byte));
    return isKept ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
