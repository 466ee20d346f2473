import { createMultibyteEncoder } from '@exodus/bytes/multi-byte.js';
import { createSinglebyteEncoder } from '@exodus/bytes/single-byte.js';
import { expect, test } from 'vitest';
import { decodeText, findCharset } from '../../src/workers/page/html/charset.ts';

const texts = {
  russian:
    'Сегодня утром в городе прошёл сильный дождь, движение на дорогах было затруднено. Жителям советуют ездить поездом.',
  ukrainian:
    'Сьогодні вранці у місті пройшов сильний дощ, рух на дорогах був ускладнений. Її мешканцям радять їздити потягом.',
  bulgarian:
    'Тази сутрин в града имаше силен дъжд и движението по пътищата беше затруднено. Жителите са посъветвани да пътуват с влак.',
  thai: 'เช้านี้มีฝนตกหนักในเมืองและการจราจรบนถนนติดขัด แนะนำให้ประชาชนใช้ระบบขนส่งสาธารณะในวันต่อไป ที่นี่ไม่มีรถไฟ',
  greek: 'Σήμερα το πρωί στην πόλη έβρεξε πολύ και η κυκλοφορία στους δρόμους ήταν δύσκολη.',
  hebrew: 'הבוקר ירד גשם חזק בעיר והתנועה בכבישים הייתה קשה מאוד. התושבים מתבקשים להשתמש ברכבת.',
  arabic: 'هطلت أمطار غزيرة على المدينة هذا الصباح وكانت حركة المرور صعبة على الطرق.',
  korean: '오늘 아침 도시에 강한 비가 내려 도로 교통이 어려웠습니다. 주민들은 기차를 이용하는 것이 좋습니다.',
  japanese:
    '今朝、市内で強い雨が降り、道路の交通は困難になりました。住民はでんしゃを利用するよう勧められています。',
  chinese: '今天早上城里下了大雨，道路交通十分困难。建议市民在未来几天内使用公共交通工具出行。',
  czech:
    'Dnes ráno ve městě silně pršelo a provoz na silnicích byl ztížen. Obyvatelům se doporučuje příští dny jezdit vlakem.',
  hungarian:
    'Ma reggel erős eső esett a városban, és az utakon nehézkes volt a közlekedés. A következő időben üljenek vonatra.',
  polish:
    'Dziś rano w mieście spadł silny deszcz, a ruch na drogach był utrudniony. Mieszkańcom zaleca się jazdę pociągiem.',
  turkish:
    'Bu sabah şehirde şiddetli yağmur yağdı ve yollarda trafik güçleşti. Halkın önümüzdeki günlerde trene binmesi önerilir.',
  traditional: '今天早上城裡下了大雨，道路交通十分困難。建議市民在未來幾天內使用公共交通工具出行。',
  french:
    'Ce matin, une forte pluie est tombée là où la circulation était gênée. Les élèves ont été très touchés.',
  german:
    'Früh fiel über der Stadt Regen, größer als je, und für die Züge ward es schwül: Füße, Mühe, Äpfel, Öl, Übel.',
};
const english =
  'Heavy rain fell on the city this morning, and the traffic on its roads was slow. People are told to take the train. ';
const isWide = (charset: string) => /^(gbk|big5|euc|shift)/.test(charset);
const encode = (text: string, charset: string) =>
  Buffer.from((isWide(charset) ? createMultibyteEncoder : createSinglebyteEncoder)(charset)(text));

test.each([
  ['russian', 'ibm866'],
  ['bulgarian', 'ibm866'],
  ['thai', 'windows-874'],
  ['ukrainian', 'koi8-u'],
  ['russian', 'koi8-r'],
  ['russian', 'windows-1251'],
  ['russian', 'iso-8859-5'],
  ['korean', 'euc-kr'],
  ['japanese', 'shift_jis'],
] as const)('%s without a word of its encoding is read as %s', (language, charset) => {
  const page = `<html><head><title>T</title></head><body><p>${texts[language]}</p></body></html>`;
  expect(findCharset(encode(page, charset), 'text/html', 'html')).toBe(charset);
});

const readAsHtml = (body: Buffer): string => decodeText(body, findCharset(body, 'text/html', 'html'));

test.each([
  ['russian', 'ibm866'],
  ['russian', 'windows-1251'],
  ['russian', 'koi8-r'],
  ['russian', 'iso-8859-5'],
  ['russian', 'x-mac-cyrillic'],
  ['ukrainian', 'windows-1251'],
  ['bulgarian', 'windows-1251'],
  ['bulgarian', 'iso-8859-5'],
  ['greek', 'windows-1253'],
  ['greek', 'iso-8859-7'],
  ['hebrew', 'windows-1255'],
  ['arabic', 'windows-1256'],
  ['arabic', 'iso-8859-6'],
  ['czech', 'iso-8859-2'],
  ['czech', 'windows-1250'],
  ['hungarian', 'iso-8859-2'],
  ['polish', 'windows-1250'],
  ['turkish', 'windows-1254'],
  ['korean', 'euc-kr'],
  ['japanese', 'shift_jis'],
  ['japanese', 'euc-jp'],
  ['chinese', 'gbk'],
  ['french', 'windows-1252'],
  ['german', 'windows-1252'],
] as const)('%s in %s is told, alone and among much English', (language, charset) => {
  const page = (text: string) => `<title>T</title><p>${text}</p>`;
  expect(readAsHtml(encode(page(texts[language]), charset))).toBe(page(texts[language]));
  const mixed = page(`${english.repeat(9)} ${texts[language]} ${english.repeat(9)}`);
  expect(readAsHtml(encode(mixed, charset))).toBe(mixed);
});

test.each([
  '© 2004 Example',
  'It’s “quoted” – or not…',
  'a café · two cafés · déjà vu',
  '\u00a0\u00a0\u00a0\u00a0Indented,\u00a0and £5 or €6 at 20\u00a0°C',
  '««« Back | Next »»»',
  'naïve',
])('English with a few signs stays in windows-1252: %s', (line) => {
  for (const text of [line, `${english}<p>${line}<p>${english}`])
    expect(readAsHtml(encode(text, 'windows-1252'))).toBe(text);
});

test.each([
  ['korean', 'euc-kr'],
  ['japanese', 'shift_jis'],
  ['japanese', 'euc-jp'],
  ['chinese', 'gbk'],
  ['chinese', 'big5'],
] as const)('a byte too many or too few leaves %s in %s what it is', (language, charset) => {
  const text = texts[language === 'chinese' && charset === 'big5' ? 'traditional' : language];
  const bytes = encode(`<p>${text} </p>`.repeat(3), charset);
  const whole = findCharset(bytes, 'text/html', 'html');
  const at = bytes.length >> 1;
  for (const damaged of [
    Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff]), bytes.subarray(at)]),
    Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]),
    bytes.subarray(0, bytes.length - 6),
  ])
    expect(findCharset(damaged, 'text/html', 'html')).toBe(whole);
  expect(decodeText(bytes, whole)).toBe(`<p>${text} </p>`.repeat(3));
});

test('a stray byte leaves a text in UTF-8 what it is', () => {
  const page = (text: string, stray: string) =>
    Buffer.concat([Buffer.from(`<p>${text}`), Buffer.from(stray, 'latin1'), Buffer.from(`<p>${text}`)]);
  const long = texts.german.repeat(5);
  expect(findCharset(page(long, '\x80'), 'text/html', 'html')).toBe('utf-8');
  expect(findCharset(page(long, '\xff\xfe'), 'text/plain', 'text')).toBe('utf-8');
  expect(findCharset(page(texts.korean, '\xe4'), 'text/html', 'html')).toBe('utf-8');
  expect(findCharset(page('\u{1f9f1}'.repeat(20), '\xe4'), 'text/html', 'html')).toBe('utf-8');
  // A quotation in UTF-8 on a page of an older encoding.
  const mixed = Buffer.concat([encode(texts.german, 'windows-1252'), Buffer.from('Ä, ö, ü')]);
  expect(findCharset(mixed, 'text/html', 'html')).toBe('windows-1252');
  expect(findCharset(page('A plain text. '.repeat(9), '\xe4'), 'text/html', 'html')).toBe('windows-1252');
});

test('XML without a declaration is guessed at where it is not UTF-8', () => {
  const body = encode(`<a>${texts.russian}</a>`, 'windows-1251');
  expect(findCharset(body, 'text/xml', 'xml')).toBe('windows-1251');
  expect(findCharset(body, 'text/xml; charset=windows-1251', 'xml')).toBe('windows-1251');
  const declared = Buffer.concat([Buffer.from('<?xml version="1.0" encoding="windows-1251"?>'), body]);
  expect(findCharset(declared, 'text/xml', 'xml')).toBe('windows-1251');
});
