import { decodeText, findCharset } from './charset.ts';
import type { TextKind } from './declared-charset.ts';
import writeOutTags, { isXmlType } from './write-out-tags.ts';

export interface BodyTask {
  body: Uint8Array;
  contentType: string;
  kind: TextKind;
}

export interface DecodedBody {
  charset: string;
  text: string;
}

/** Whether writing out its tags is part of reading it. */
export const isXhtml = ({ contentType, kind }: Omit<BodyTask, 'body'>): boolean =>
  kind === 'html' && isXmlType(contentType);

/** A body whose encoding is known; XHTML as HTML. */
export function decodeAs(charset: string, body: Buffer, sent: Omit<BodyTask, 'body'>): DecodedBody {
  const text = decodeText(body, charset);
  return { charset, text: isXhtml(sent) ? writeOutTags(text) : text };
}

/** A body as text, whatever it takes to find out its encoding; XHTML as HTML. */
export default function decodeBody({ body, contentType, kind }: BodyTask): DecodedBody {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return decodeAs(findCharset(bytes, contentType, kind), bytes, { contentType, kind });
}
