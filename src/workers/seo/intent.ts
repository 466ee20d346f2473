import type { KeywordIdeas } from './provider.ts';

type Intent = NonNullable<KeywordIdeas['ideas'][number]['intent']>;

/** Words that tell what who searches wants, by language; in the order in which they count. */
const tellingWords: Record<string, readonly (readonly [Intent, string])[]> = {
  en: [
    ['navigational', 'login|log in|sign in|signin|official|homepage|customer service|contact$'],
    [
      'transactional',
      'buy|price|prices|cheap|cheapest|coupon|discount|deal|deals|order(?! of)|for sale|sale|shop|store|near me|download|subscribe|hire|rent|free shipping',
    ],
    [
      'commercial',
      'best|^top|top \\d+|review|reviews|vs(?! code)|versus|compare|comparison|alternative|alternatives|brands|rated|under \\$?\\d+',
    ],
    [
      'informational',
      'how|what|why|when|where|which|who|can|is|are|does|guide|tutorial|meaning|definition|ideas|tips|examples|wiki|history|recipe',
    ],
  ],
  de: [
    ['navigational', 'login|anmelden|webseite|offizielle|kundenservice|kontakt$'],
    [
      'transactional',
      'kaufen|preis|preise|günstig|billig|gutschein|rabatt|angebot|angebote|bestellen|shop|mieten|buchen|herunterladen',
    ],
    [
      'commercial',
      'beste|besten|bester|test|testsieger|vergleich|vs|erfahrungen|alternative|alternativen|marken',
    ],
    [
      'informational',
      'wie|was|warum|wann|wo|welche|wer|kann|ist|anleitung|bedeutung|definition|ideen|tipps|beispiele|rezept',
    ],
  ],
  fr: [
    ['navigational', 'connexion|site officiel|service client'],
    ['transactional', 'acheter|prix|pas cher|promo|réduction|commander|boutique|louer|réserver|télécharger'],
    ['commercial', 'meilleur|meilleure|meilleurs|avis|comparatif|comparaison|vs|alternative|marques'],
    [
      'informational',
      'comment|pourquoi|quand|où|quel|quelle|qui|guide|définition|idées|conseils|exemples|recette',
    ],
  ],
  es: [
    ['navigational', 'iniciar sesión|página oficial|atención al cliente'],
    [
      'transactional',
      'comprar|precio|precios|barato|baratos|cupón|descuento|oferta|ofertas|pedir|tienda|alquilar|reservar|descargar',
    ],
    ['commercial', 'mejor|mejores|opiniones|comparativa|comparación|vs|alternativa|alternativas|marcas'],
    [
      'informational',
      'cómo|qué|cuándo|dónde|cuál|quién|cuánto|guía|significado|definición|ideas|consejos|ejemplos|receta',
    ],
  ],
  it: [
    ['navigational', 'accedi|login|sito ufficiale|servizio clienti'],
    [
      'transactional',
      'comprare|acquistare|acquista|prezzo|prezzi|economico|economici|sconto|sconti|offerta|offerte|ordinare|negozio|noleggio|prenotare|scaricare',
    ],
    [
      'commercial',
      'migliore|migliori|miglior|recensione|recensioni|opinioni|confronto|vs|alternativa|alternative|marche',
    ],
    [
      'informational',
      'come|cosa|perché|quando|dove|quale|chi|quanto|guida|significato|definizione|idee|consigli|esempi|ricetta',
    ],
  ],
  pt: [
    ['navigational', 'login|site oficial|atendimento ao cliente'],
    [
      'transactional',
      'comprar|preço|preços|barato|baratos|cupom|desconto|oferta|ofertas|promoção|pedir|loja|alugar|reservar|baixar',
    ],
    [
      'commercial',
      'melhor|melhores|avaliação|avaliações|opiniões|comparação|comparativo|vs|alternativa|alternativas|marcas',
    ],
    [
      'informational',
      'como|o que|por que|quando|onde|qual|quem|quanto|guia|significado|definição|ideias|dicas|exemplos|receita',
    ],
  ],
  nl: [
    ['navigational', 'inloggen|login|officiële|klantenservice'],
    [
      'transactional',
      'kopen|prijs|prijzen|goedkoop|goedkope|korting|aanbieding|aanbiedingen|bestellen|winkel|huren|downloaden',
    ],
    [
      'commercial',
      'beste|test|review|reviews|ervaringen|vergelijken|vergelijking|vs|alternatief|alternatieven|merken',
    ],
    [
      'informational',
      'hoe|wat|waarom|wanneer|waar|welke|wie|handleiding|betekenis|definitie|ideeën|tips|voorbeelden|recept',
    ],
  ],
  ru: [
    ['navigational', 'войти|вход|официальный сайт|личный кабинет'],
    [
      'transactional',
      'купить|цена|цены|дешево|дёшево|недорого|скидка|скидки|заказать|магазин|аренда|забронировать|скачать',
    ],
    ['commercial', 'лучший|лучшие|лучшая|отзывы|обзор|сравнение|рейтинг|топ|vs|аналог|аналоги'],
    [
      'informational',
      'как|что|почему|зачем|когда|где|какой|какая|какие|кто|сколько|инструкция|значение|определение|идеи|советы|примеры|рецепт',
    ],
  ],
  pl: [
    ['navigational', 'logowanie|zaloguj|oficjalna strona|kontakt$'],
    [
      'transactional',
      'kupić|kup|cena|ceny|tani|tanie|tania|promocja|rabat|zamówić|sklep|wynajem|rezerwacja|pobierz',
    ],
    ['commercial', 'najlepszy|najlepsze|najlepsza|opinie|recenzja|porównanie|ranking|test|vs|alternatywa'],
    [
      'informational',
      'jak|co|dlaczego|kiedy|gdzie|jaki|jakie|który|kto|ile|czy|poradnik|znaczenie|definicja|pomysły|porady|przykłady|przepis',
    ],
  ],
  tr: [
    ['navigational', 'giriş|resmi site|müşteri hizmetleri'],
    [
      'transactional',
      'satın al|fiyat|fiyatı|fiyatları|ucuz|indirim|kampanya|sipariş|mağaza|kiralık|rezervasyon|indir',
    ],
    ['commercial', 'en iyi|yorum|yorumlar|yorumları|inceleme|karşılaştırma|tavsiye|vs|alternatif|markaları'],
    [
      'informational',
      'nasıl|nedir|ne|neden|nerede|hangi|kim|kaç|rehber|anlamı|tanımı|fikirleri|örnekleri|tarifi',
    ],
  ],
  ar: [
    ['navigational', 'تسجيل الدخول|الموقع الرسمي|خدمة العملاء'],
    [
      'transactional',
      'شراء|سعر|اسعار|أسعار|رخيص|خصم|كوبون|عروض|طلب|متجر|للبيع|للايجار|للإيجار|حجز|تحميل|تنزيل',
    ],
    ['commercial', 'افضل|أفضل|مراجعة|تقييم|مقارنة|بديل|بدائل|ماركات'],
    ['informational', 'كيف|كيفية|ما|ماذا|لماذا|متى|أين|هل|كم|شرح|معنى|تعريف|أفكار|نصائح|أمثلة|طريقة|وصفة'],
  ],
  ja: [
    ['navigational', 'ログイン|公式|お問い合わせ'],
    [
      'transactional',
      '購入|通販|価格|値段|安い|激安|クーポン|割引|セール|注文|販売|予約|レンタル|ダウンロード',
    ],
    ['commercial', 'おすすめ|ランキング|比較|口コミ|レビュー|評判|人気|ブランド'],
    ['informational', 'とは|なぜ|いつ|どこ|誰|方法|やり方|作り方|使い方|意味|違い|レシピ|歴史'],
  ],
  zh: [
    ['navigational', '登录|登錄|登入|官网|官網|官方'],
    [
      'transactional',
      '购买|購買|价格|價格|多少钱|多少錢|便宜|优惠|優惠|折扣|订购|訂購|商城|下载|下載|租|预订|預訂',
    ],
    ['commercial', '推荐|推薦|评测|評測|评价|評價|对比|比较|比較|排行|排名|哪个好|哪個好|品牌|最好'],
    ['informational', '什么|什麼|怎么|怎麼|如何|哪里|哪裡|哪些|意思|教程|教學|方法|区别|區別|差別|做法|攻略'],
  ],
  ko: [
    ['navigational', '로그인|공식|고객센터'],
    ['transactional', '구매|가격|최저가|할인|쿠폰|세일|주문|쇼핑몰|대여|예약|다운로드|파는 곳'],
    ['commercial', '추천|비교|후기|리뷰|순위|브랜드|평가'],
    ['informational', '방법|뜻|언제|어디|누구|무엇|의미|이유|만들기|레시피|역사'],
  ],
};

/** In scripts where words stand together, or take endings as in Korean, a word is looked for within others too. */
const isWithin = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const toPattern = (words: string) =>
  new RegExp(isWithin.test(words) ? words : `(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`, 'iu');

const patterns = new Map(
  Object.entries(tellingWords).map(([language, intents]) => [
    language,
    intents.map(([intent, words]) => [intent, toPattern(words)] as const),
  ]),
);

/** @returns null where no word tells it, or the language's words are not known. */
export function intentOf(keyword: string, language: string): Intent | null {
  return patterns.get(language)?.find(([, pattern]) => pattern.test(keyword))?.[0] ?? null;
}
