import { sendHtml, type SitePage } from './page.ts';

const page =
  (bytes: Buffer, contentType = 'text/html'): SitePage =>
  ({ response }) =>
    void response.writeHead(200, { 'content-type': contentType }).end(bytes);
const base64 = (text: string) => Buffer.from(text, 'base64');

const utf16 = Buffer.from('\ufeff<!doctype html><title>Γεια σου</title><p>Καλημέρα κόσμε</p>', 'utf16le');
const shiftJis = base64(
  'PCFkb2N0eXBlIGh0bWw+PGh0bWw+PGhlYWQ+PHRpdGxlPpDOkNiC6I/qgsyX8I5qPC90aXRsZT48L2hlYWQ+PGJvZHk+PGgxPpDOkNiC6I/qPC9oMT48cD6CsYLMjcyQzo/qgsWCzZK3gqKCoIKigr6QzpTCgqqKhILnguqCxIKrgtyCtYK9gUKQRZBsgr2Cv4LNltqCyYmIgsGCxOh3gvCTloLEgUGI6pHFgr+CxZDOgvCKhILogtyCt4FCiUqCzYxwgqyW2oLwjKmCwoKvgUGTfoLMkZqCqoK7guqC8I1MgrCBQY90gsyQhYKqjM6C1oLGiV6C0YLcgreBQjwvcD48L2JvZHk+PC9odG1sPg==',
);
const gbk = base64(
  'PCFkb2N0eXBlIGh0bWw+PGh0bWw+PGhlYWQ+PHRpdGxlPrLJyq+zobXEwPrKtzwvdGl0bGU+PC9oZWFkPjxib2R5PjxoMT6yycqvs6E8L2gxPjxwPtXi1/myycqvs6G24MTqwLTSu9axv6qyycqvsOWho7mkvbPR2NfFzsbA7bfFusPU5NfTo6zSu7S4z8LIpcqvv+mx48HRs8nBvbDroaPT6suuz8jV0rW9vdO37KOstqzM7LXEy6q2s7DRy/zDx7PFv6qjrLS6zOy1xMH3y67U2bDRy+nKr7T4tb26/sDvoaM8L3A+PC9ib2R5PjwvaHRtbD4=',
);
const windows1251 = base64(
  'PCFkb2N0eXBlIGh0bWw+PGh0bWw+PGhlYWQ+PHRpdGxlPsjx8u7w6P8g6uDw/OXw4DwvdGl0bGU+PC9oZWFkPjxib2R5PjxoMT7K4PD85fA8L2gxPjxwPtHr4O3l9iDi8eXj5OAg8ODx6uDr++Lg/vIsIOAg7eUg7+jr//IuIMzg8fLl8CDx8uDi6PIg5/Ph6OvuIOLk7uv8IPHr7v8sIOgg7uTo7SDz5ODwIPDg5+Tl6//l8iDq4Ozl7fwuIMTu5uT8IO/l8OL77CDt4PXu5OjyIPji+ywg5+js7ukg7O7w7ucg8ODx6vD74uDl8iDo9Swg4CDi5fHt7ukg4u7k4CDz7e7x6PIg7uHr7uzq6CDqIO7n5fDzLjwvcD48L2JvZHk+PC9odG1sPg==',
);

/** Pages whose bytes say more about their encoding than their headers do. */
export const encodingPages: Record<string, SitePage> = {
  '/encoding/shift-jis': page(shiftJis),
  '/encoding/gbk': page(gbk),
  '/encoding/windows-1251': page(windows1251),
  '/encoding/windows-1251-header': page(windows1251, 'text/html; charset=Windows-1251'),
  '/encoding/latin-1': page(
    Buffer.from('<!doctype html><title>Café</title><p>Un café crème, déjà vu.', 'latin1'),
  ),
  '/encoding/utf-8': page(Buffer.from('<!doctype html><title>Grüße</title><p>Grüße aus Zürich')),
  '/encoding/utf-8-meta-utf-16': page(
    Buffer.from('<!doctype html><meta charset="utf-16"><title>Grüße</title>'),
  ),
  '/encoding/utf-16le-bom': page(utf16),
  '/encoding/utf-16be-bom': page(Buffer.from(utf16).swap16()),
  // The mark outranks the header.
  '/encoding/bom-against-header': page(
    Buffer.from('\ufeff<!doctype html><title>Grüße</title>'),
    'text/html; charset=iso-8859-1',
  ),
  '/encoding/meta-late': page(
    Buffer.concat([
      Buffer.from(`<!doctype html><!--${' '.repeat(3_000)}--><meta charset="koi8-r"><title>`),
      base64('8NLJ18XU'),
      Buffer.from('</title>'),
    ]),
  ),
  '/encoding/nul-and-invalid': page(
    Buffer.concat([
      Buffer.from('<!doctype html><title>a\0b</title><p>before '),
      Buffer.from([0xff, 0xfe, 0xc3]),
      Buffer.from(' after\0</p>'),
    ]),
    'text/html; charset=utf-8',
  ),
  '/encoding/rss': page(
    Buffer.concat([
      Buffer.from('<?xml version="1.0" encoding="windows-1251"?><rss><channel><title>'),
      base64('yuDw/OXw'),
      Buffer.from('</title></channel></rss>'),
    ]),
    'application/rss+xml',
  ),
  '/encoding/json': page(Buffer.from('{"city":"Zürich"}'), 'application/json'),
  '/encoding/binary-as-text': page(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]), 'text/plain'),
};

/** Pages to pick parts out of. */
export const partPages: Record<string, SitePage> = {
  // As /echo, but without `no-store`.
  '/echo-cacheable': ({ request, response }) =>
    void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ headers: request.headers })),
  '/parts': ({ response }) =>
    sendHtml(
      response,
      `<title>Parts</title><base href="/parts/"><h1>Slate &amp; stone</h1><script>var hidden = 'no';</script>
      <p>First line<br>second line</p><ul><li>one<li>two</ul><pre>a
  b</pre>
      <p><a href="one" rel="nofollow noopener">One</a> <a href="one#part">Again</a> <a href="/two?x=1"><img alt="Two" src="t.png"></a>
      <a href="mailto:a@example.com">Mail</a> <a href="javascript:void(0)">Script</a> <a>None</a>
      <a href="https://example.com/">Elsewhere</a></p>
      <table><tr><td class="cell" data-n="1">A</td><td class="cell">B</td></tr></table><svg viewBox="0 0 1 1"></svg>`,
    ),
  '/large-text': ({ response }) =>
    sendHtml(response, `<title>Large</title>${'<p>Schöner Schiefer 🪨 "in Platten"</p>\n'.repeat(40_000)}`),
  '/deep': ({ response }) =>
    sendHtml(response, `<title>Deep</title>${'<div>'.repeat(30_000)}<b id="x">bottom</b>`),
};

function pdfOf(lines: readonly string[]): Buffer {
  const content = `BT /F1 18 Tf 40 700 Td 24 TL ${lines.map((line) => `(${line}) Tj T*`).join(' ')} ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    '<< /Title (Yearly report) >>',
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const xref = text.length;
  text += `xref\n0 7\n0000000000 65535 f \n${table}trailer\n<< /Size 7 /Root 1 0 R /Info 6 0 R >>\nstartxref\n${xref}\n%%EOF`;
  return Buffer.from(text, 'latin1');
}
const pdf = pdfOf(['Slate is split, never sawn.', 'The quarry closed in 1911.']);

export const documentPages: Record<string, SitePage> = {
  '/report.pdf': page(pdf, 'application/pdf'),
  '/scan.pdf': page(pdfOf([]), 'application/pdf'),
  '/report-download': page(pdf, 'application/octet-stream'),
  '/broken.pdf': page(Buffer.from('%PDF-1.4 and then nothing of use'), 'application/pdf'),
  '/lying-length': ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-length': '5000' });
    response.write('<!doctype html><title>Cut</title><p>All that came');
    setTimeout(() => response.socket?.destroy(), 50);
  },
};
