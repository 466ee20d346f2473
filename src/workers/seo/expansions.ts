/** Words of a language that people put around a keyword. */
interface Words {
  questions: readonly string[];
  prepositions: readonly string[];
}

const list = (text: string) => text.split(' ');

const wordsOf: Record<string, Words> = {
  en: {
    questions: list('how what why when where which who can are is'),
    prepositions: list('for with without vs near to like and or'),
  },
  de: {
    questions: list('wie was warum wann wo welche wer kann ist'),
    prepositions: list('für mit ohne vs bei und oder gegen'),
  },
  fr: {
    questions: list('comment pourquoi quand où quel quelle qui est-ce'),
    prepositions: list('pour avec sans vs près de et ou'),
  },
  es: {
    questions: list('cómo qué cuándo dónde cuál quién cuánto'),
    prepositions: list('para con sin vs cerca de y o'),
  },
  it: {
    questions: list('come cosa perché quando dove quale chi quanto'),
    prepositions: list('per con senza vs vicino di e o'),
  },
  pt: {
    questions: list('como que quando onde qual quem quanto'),
    prepositions: list('para com sem vs perto de e ou'),
  },
  nl: {
    questions: list('hoe wat waarom wanneer waar welke wie'),
    prepositions: list('voor met zonder vs bij en of'),
  },
};

const latin = [...'abcdefghijklmnopqrstuvwxyz'];
const alphabets: Record<string, readonly string[]> = {
  Cyrl: [...'абвгдежзиклмнопрстуфхцчшщэюя'],
  Grek: [...'αβγδεζηθικλμνξοπρστυφχψω'],
  Hebr: [...'אבגדהוזחטיכלמנסעפצקרשת'],
  Arab: [...'ابتثجحخدذرزسشصضطظعغفقكلمنهوي'],
  Jpan: [...'あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわ'],
};

/** The most spoken language of a country, ISO 639-1. */
export function languageOfCountry(country: string): string {
  return new Intl.Locale(`und-${country}`).maximize().language;
}

/**
 * What engines are asked around a keyword, the most telling first: itself, with questions before it, prepositions
 * and then letters behind it. Questions and prepositions are known of some languages; letters are of its script.
 */
export function expandKeyword(keyword: string, language: string): string[] {
  const { questions, prepositions } = wordsOf[language] ?? { questions: [], prepositions: [] };
  const script = new Intl.Locale(language).maximize().script ?? 'Latn';
  const letters = alphabets[script] ?? latin;
  return [
    keyword,
    ...questions.map((word) => `${word} ${keyword}`),
    ...prepositions.map((word) => `${keyword} ${word}`),
    ...letters.map((letter) => `${keyword} ${letter}`),
  ];
}
