import { describe, expect, test } from 'vitest';
import readDocument from '../../src/workers/documents/read-document.ts';
import type { EgressLease } from '../../src/shared/egress/types.ts';
import { fetchPage } from '../../src/workers/page/fetch/fetch-page.ts';
import { findBodyKind } from '../../src/workers/page/fetch/body-kind.ts';

const octets = 'application/octet-stream';
const kindOf = (body: string | Buffer, type: string | null) => findBodyKind(type, Buffer.from(body));
const table = 'stone,mass,place\nSlate,12.5,Wales\nMarble,7,Carrara\nBasalt,9,Eifel\n';
const tabs = table.replaceAll(',', '\t');

describe('a table of text is known by its lines', () => {
  test.each([
    ['of commas', table],
    ['of tabs', tabs],
    ['of semicolons', table.replaceAll(',', ';')],
    ['with spaces behind the commas', table.replaceAll(',', ', ')],
    ['with quoted cells', table.replace('Wales', '"Wales, north\nand south"')],
    ['whose cells are all quoted', '"id","name"\n"1","Smith, ""J"""\n"2","Doe"\n"3","Roe"\n'],
    ['with empty cells', 'a,b,c\n1,,3\n4,,\n,,6\n7,8,9\n'],
    ['whose lines end as those of Windows do', `\ufeff${table.replaceAll('\n', '\r\n')}`],
    ['whose lines are long', table.replaceAll('\n', `,${'x'.repeat(700)}\n`)],
    [
      'with names that end in a point',
      'Symbol,Security,Sector\nAAPL,Apple Inc.,Technology\nMMM,3M Co.,Industrials\nAOS,A. O. Smith Corp.,Industrials\n',
    ],
    ['with one torn line in twenty', `${table}${'Gneiss,3,Alps\n'.repeat(18)}torn\n`],
  ])('%s', (_what, text) => {
    for (const type of ['text/plain', null, octets]) expect(kindOf(text, type)).toBe('csv');
  });

  test.each([
    [
      'prose',
      'Slate is split, never sawn,\nby those who wait, and know,\nthat it opens, or does not,\nin the end.\n',
    ],
    ['a poem', 'One is red, one is blue,\nTwo are old, two are new,\nThree are here, three are gone,\n'],
    ['a list of places', 'Bath, England\nBangor, Wales\nBonn, Germany\n'],
    ['a log', '2026-03-14 09:30:10,123 INFO the saw runs\n'.repeat(4)],
    ['code', 'int a = 1;\nint b = 2;\nint c = 3;\nint d = 4;\n'],
    ['indented lines', '\tone\n\ttwo\n\tthree\n\tfour\n'],
    ['two lines', 'a,b\nc,d\n'],
    ['a list of thousands', '1,250\n13,000\n2,500,000\n'],
    ['a list of millions', '1,250,000\n13,000,500\n2,500,000\n'],
    ['SQL', "INSERT INTO stones VALUES (1,'Slate',2);\n".repeat(3)],
    ['calls', 'cut(slate,marble)\n'.repeat(3)],
    ['calls of many arguments', 'cut(slate,marble,basalt)\n'.repeat(3)],
    ['calls of numbers', 'f(1,2)\ng(3,4)\nh(5,6)\n'],
    ['assignments', 'var a=1;b=2;\nvar c=3;d=4;\nvar e=5;f=6;\n'],
    ['styles', 'a{color:red;top:0}\nb{color:tan;top:1}\ni{color:sky;top:2}\n'],
    ['a Chinese poem', '床前明月光,疑是地上霜。\n'.repeat(3)],
    ['lines of a Chinese text', '床前,明月,地上霜。\n'.repeat(3)],
    ['notes by day', 'May 3\tsplit the slate. It went well.\nMay 4\trested.\nMay 5\tsold it. All is gone.\n'],
    ['JSON', '[\n1,\n2,\n3,\n4]\n'],
  ])('%s is none', (_what, text) => {
    expect([kindOf(text, 'text/plain'), kindOf(text, null)]).toEqual(['text', 'text']);
  });

  test('with as many cells as it likes, where it comes as bytes of no kind', () => {
    expect(kindOf('a,b,c\n1,2\n3,4,5,6\n7,8,9\n', octets)).toBe('csv');
    expect(kindOf('a;b\n1;2;3\n4;5\n6;7;8\n', 'application/vnd.ms-excel')).toBe('csv');
    expect(kindOf('var a = [1, 2];\nf(a, b);\nreturn c;\n', octets)).toBe('text');
    expect(kindOf('Slate, split\nby those, who wait\nand know, and so on, and on\n', octets)).toBe('text');
  });

  test('and by its address, where it has two columns', () => {
    const days = 'Date,Price\n1987-05-20,18.63\n1987-05-21,18.45\n1987-05-22,18.55\n';
    const at = (path: string) => findBodyKind('text/plain', Buffer.from(days), 'text/plain', path);
    expect([at('/oil.csv'), at('/oil.TSV'), at('/oil.txt')]).toEqual(['csv', 'csv', 'text']);
  });

  test.each([
    ['/latest', '/oil.csv', 'csv'],
    ['/oil.csv', '/oil', 'text'],
  ])('and where %s leads to %s, by the one that answered', async (asked, answered, kind) => {
    const body = Buffer.from('Date,Price\n1987-05-20,18.63\n1987-05-21,18.45\n1987-05-22,18.55\n');
    const headers = { 'content-type': 'text/plain' };
    const fetch = async () => ({ status: 200, url: `http://a.test${answered}`, headers, body });
    const options = { url: `http://a.test${asked}`, timeoutMs: 1_000, signal: new AbortController().signal };
    expect((await fetchPage({ fetch } as unknown as EgressLease, options)).kind).toBe(kind);
  });

  test('is read by what separates its cells', async () => {
    const text = 'name\taddress, town, county\nAda\tMain St, Bath, Avon\nMary\tHigh St, Bonn, NRW\n';
    const { page } = await readDocument({
      kind: 'csv',
      bytes: null,
      text,
      url: 'http://a.test/x',
      contentType: 'text/plain',
    });
    expect(page.html).toContain('<td>Main St, Bath, Avon</td>');
  });
});

describe('bytes of no kind are read as what they are', () => {
  test.each([
    ['{"stone":"Slate"}', 'text'],
    ['Slate is split, never sawn.\n', 'text'],
    ['Größe\n', 'text'],
    ['<!doctype html><title>Slate</title>', 'html'],
    ['\n<HTML><body>Slate', 'html'],
    ['<?xml version="1.0"?><stone/>', 'xml'],
    ['<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><p>Slate</p></html>', 'html'],
    [Buffer.from('\ufeffSlate is split\n', 'utf16le'), 'text'],
    ['\n\n%PDF-1.7\n1 0 obj', 'pdf'],
    ['', null],
    [Buffer.from('6fc1a2d3e4', 'hex'), null],
    [Buffer.from('Slate\0is split'), null],
    [Buffer.from(Array.from({ length: 400 }, (_, at) => (at * 37) % 256)), null],
    [Buffer.from(Uint16Array.from({ length: 200 }, (_, at) => at).buffer), null],
  ])('%j', (body, kind) => {
    for (const type of [octets, 'binary/octet-stream', 'application/force-download'])
      expect(kindOf(body, type)).toBe(kind);
  });
});

describe('what is called a PDF is one by its bytes', () => {
  test.each([
    ['%PDF-1.4\nno more', 'pdf'],
    ['HTTP junk\r\n%PDF-1.4\n1 0 obj', 'pdf'],
    [Buffer.concat([Buffer.alloc(40, 1), Buffer.from('\n%PDF-1.4')]), 'pdf'],
    [Buffer.alloc(2_000, 3), 'pdf'],
    ['', 'pdf'],
    ['<!doctype html><title>Not found</title>', 'html'],
    ['  <html><head><title>Sign in</title>', 'html'],
    ['{"error":"no such file"}', 'text'],
    ['No such file\n', 'text'],
    [`<html>${'x'.repeat(2_000)}\n%PDF-1.4`, 'html'],
  ])('%j', (body, kind) => {
    expect(kindOf(body, 'application/pdf')).toBe(kind);
  });

  test('and a page is one where a table was asked for', () => {
    expect(kindOf('<!DOCTYPE html><title>Not found</title>', 'text/csv')).toBe('html');
    expect(kindOf('<a>,b\n1,2\n', 'text/csv')).toBe('csv');
    expect(kindOf('<!-- made by hand -->,b\n1,2\n', 'text/csv')).toBe('csv');
  });

  test('and what quotes the beginning of one is what it was', () => {
    expect(kindOf('<html><pre>\n%PDF-1.4\n</pre>', null)).toBe('html');
    expect(kindOf('<html><pre>\n%PDF-1.4\n</pre>', octets)).toBe('html');
    expect(kindOf('A file begins with\n%PDF-1.4\nand ends.\n', null)).toBe('text');
    expect(kindOf('\n%PDF-1.4\n1 0 obj', null)).toBe('pdf');
  });
});

test.each([
  'html',
  'head',
  'script',
  'iframe',
  'h1',
  'div',
  'font',
  'table',
  'a',
  'style',
  'title',
  'b',
  'body',
  'br',
  'p',
])('what begins with <%s is a page where no type says otherwise', (name) => {
  for (const body of [`<${name}>Slate`, ` \n<${name.toUpperCase()} class=a>Slate`]) {
    for (const type of [null, octets]) expect(kindOf(body, type)).toBe('html');
    expect(kindOf(body, 'text/plain')).toBe('text');
  }
});

test.each(['<stone>Slate', '<animate>Slate', '<brick>Slate', '<tablet>Slate', '<bdi>Slate', 'Slate <b>and'])(
  '%s is text',
  (body) => {
    for (const type of [null, octets]) expect(kindOf(body, type)).toBe('text');
  },
);
