/** Words that people put around a keyword: questions before it where a language asks so, the others behind it. */
interface Words {
  before: readonly string[];
  behind: readonly string[];
}

const list = (text: string) => (text === '' ? [] : text.split(', '));
const words = (before: string, behind: string): Words => ({ before: list(before), behind: list(behind) });

/** By language, and by its script where it has several. */
const wordsOf: Record<string, Words> = {
  en: words(
    'how, what, why, when, where, which, who, can, are, is',
    'for, with, without, vs, near, to, like, and, or',
  ),
  de: words('wie, was, warum, wann, wo, welche, wer, kann, ist', 'für, mit, ohne, vs, bei, und, oder, gegen'),
  fr: words(
    'comment, pourquoi, quand, où, quel, quelle, qui, est-ce que',
    'pour, avec, sans, vs, près de, de, et, ou',
  ),
  es: words('cómo, qué, cuándo, dónde, cuál, quién, cuánto', 'para, con, sin, vs, cerca de, de, y, o'),
  it: words(
    'come, cosa, perché, quando, dove, quale, chi, quanto',
    'per, con, senza, vs, vicino a, di, e, o',
  ),
  pt: words('como, o que, quando, onde, qual, quem, quanto', 'para, com, sem, vs, perto de, de, e, ou'),
  nl: words('hoe, wat, waarom, wanneer, waar, welke, wie', 'voor, met, zonder, vs, bij, en, of'),
  ru: words(
    'как, что такое, почему, когда, где, какой, какие, кто, сколько',
    'для, с, без, или, и, в, на, рядом',
  ),
  pl: words(
    'jak, co to, dlaczego, kiedy, gdzie, jaki, jakie, kto, ile, czy',
    'dla, z, bez, vs, do, na, i, lub',
  ),
  tr: words(
    'nasıl, neden, ne zaman, nerede, hangi, kim, kaç',
    'nedir, için, ile, olmadan, gibi, ve, veya, vs',
  ),
  ar: words('كيف, ما هو, ما هي, لماذا, متى, أين, أي, كم, هل', 'مع, بدون, في, من, إلى, أو, بالقرب من'),
  ja: words('', 'とは, なぜ, いつ, どこ, どれ, 誰, 使い方, やり方, 違い, おすすめ, 近く, なし'),
  ko: words('', '뜻, 방법, 이유, 언제, 어디, 누구, 종류, 차이, 추천, 비교, 없이, 근처'),
  'zh-Hans': words('', '是什么, 怎么, 如何, 为什么, 什么时候, 哪里, 哪个, 多少, 和, 或, 区别, 附近'),
  'zh-Hant': words('', '是什麼, 怎麼, 如何, 為什麼, 什麼時候, 哪裡, 哪個, 多少, 和, 或, 差別, 附近'),
};

const latin = [...'abcdefghijklmnopqrstuvwxyz'];
const alphabets: Record<string, readonly string[]> = {
  Cyrl: [...'абвгдежзиклмнопрстуфхцчшщэюя'],
  Grek: [...'αβγδεζηθικλμνξοπρστυφχψω'],
  Hebr: [...'אבגדהוזחטיכלמנסעפצקרשת'],
  Arab: [...'ابتثجحخدذرزسشصضطظعغفقكلمنهوي'],
  Jpan: [...'あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわ'],
  Kore: [...'가나다라마바사아자차카타파하'],
  Thai: [...'กขคงจฉชซญดตถทธนบปผฝพฟภมยรลวศสหอ'],
  Deva: [...'अआइईउऊएऐओऔकखगघचछजझटठडढतथदधनपफबभमयरलवशसह'],
};

/** As engines and Wikipedia call languages of countries that go by another code. */
const usualCodes: Record<string, string> = { fil: 'tl', pap: 'nl', nb: 'no' };

/** The most spoken language of a country, ISO 639-1; English where that has no code there. */
export function languageOfCountry(country: string): string {
  const { language } = new Intl.Locale(`und-${country}`).maximize();
  return usualCodes[language] ?? (language.length === 2 ? language : 'en');
}

/**
 * What engines are asked around a keyword, the most telling first: itself, with words before it, words and then
 * letters behind it. Words are known of some languages; letters are of its script, those of Chinese of Pinyin.
 */
export function expandKeyword(keyword: string, language: string, country: string): string[] {
  const script = new Intl.Locale(`${language}-${country}`).maximize().script ?? 'Latn';
  const { before, behind } = wordsOf[language] ?? wordsOf[`${language}-${script}`] ?? words('', '');
  const letters = alphabets[script] ?? latin;
  const queries = [
    keyword,
    ...before.map((word) => `${word} ${keyword}`),
    ...behind.map((word) => `${keyword} ${word}`),
    ...letters.map((letter) => `${keyword} ${letter}`),
  ];
  // Some words are letters.
  return [...new Set(queries)];
}
