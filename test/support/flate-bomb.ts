import { deflateSync } from 'node:zlib';

const megabyte = 1_048_576;

/**
 * A PDF of some kilobytes whose one page unpacks to `megabytes`: deflated twice, for a run of spaces deflates to a
 * run of equal bytes again.
 */
export function createFlateBomb(megabytes: number): Buffer {
  const once = deflateSync(Buffer.alloc(megabytes * megabyte, ' '), { level: 1 });
  const stream = deflateSync(once, { level: 9 });
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]/Contents 4 0 R>>',
    `<</Length ${stream.length}/Filter[/FlateDecode/FlateDecode]>>`,
  ];
  const parts = objects.map((object, index) => `${index + 1} 0 obj\n${object}\n`);
  const head = `%PDF-1.4\n${parts
    .slice(0, 3)
    .map((part) => `${part}endobj\n`)
    .join('')}${parts[3]}stream\n`;
  return Buffer.concat([
    Buffer.from(head),
    stream,
    Buffer.from('\nendstream\nendobj\ntrailer\n<</Root 1 0 R>>\n%%EOF\n'),
  ]);
}
