import type { KeywordIdeas } from './provider.ts';

type Intent = NonNullable<KeywordIdeas['ideas'][number]['intent']>;

/** Words that tell what who searches wants, by language; in the order in which they count. */
const tellingWords: Record<string, readonly (readonly [Intent, string])[]> = {
  en: [
    ['navigational', 'login|log in|sign in|signin|website|homepage|official|app|customer service|contact'],
    [
      'transactional',
      'buy|price|prices|cheap|cheapest|coupon|discount|deal|deals|order|for sale|sale|shop|store|near me|download|subscribe|hire|rent|book|free shipping',
    ],
    [
      'commercial',
      'best|top|review|reviews|vs|versus|compare|comparison|alternative|alternatives|brands|rated|under',
    ],
    [
      'informational',
      'how|what|why|when|where|which|who|can|is|are|does|guide|tutorial|meaning|definition|ideas|tips|examples|vs code|wiki|history|recipe',
    ],
  ],
  de: [
    ['navigational', 'login|anmelden|webseite|offizielle|app|kundenservice|kontakt'],
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
    ['navigational', 'connexion|site officiel|application|contact|service client'],
    ['transactional', 'acheter|prix|pas cher|promo|réduction|commander|boutique|louer|réserver|télécharger'],
    ['commercial', 'meilleur|meilleure|meilleurs|avis|comparatif|comparaison|vs|alternative|marques'],
    [
      'informational',
      'comment|pourquoi|quand|où|quel|quelle|qui|guide|définition|idées|conseils|exemples|recette',
    ],
  ],
  es: [
    ['navigational', 'iniciar sesión|página oficial|aplicación|contacto|atención al cliente'],
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
};

const patterns = new Map(
  Object.entries(tellingWords).map(([language, intents]) => [
    language,
    intents.map(
      ([intent, words]) =>
        [intent, new RegExp(`(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`, 'iu')] as const,
    ),
  ]),
);

/** @returns null where no word tells it, or the language's words are not known. */
export function intentOf(keyword: string, language: string): Intent | null {
  return patterns.get(language)?.find(([, pattern]) => pattern.test(keyword))?.[0] ?? null;
}
