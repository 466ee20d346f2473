import { decodeText, findCharset, type TextKind } from './charset.ts';
import { isXmlType, writeOutTags } from './write-out-tags.ts';

export interface BodyTask {
  body: Uint8Array;
  contentType: string;
  kind: TextKind;
}

export interface DecodedBody {
  charset: string;
  text: string;
}

/** A body as text, whatever it takes to find out its encoding; XHTML as HTML. */
export default function decodeBody({ body, contentType, kind }: BodyTask): DecodedBody {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const charset = findCharset(bytes, contentType, kind);
  const text = decodeText(bytes, charset);
  return { charset, text: kind === 'html' && isXmlType(contentType) ? writeOutTags(text) : text };
}
