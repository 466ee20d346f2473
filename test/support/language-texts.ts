/** Short articles of our own in the languages that the built-in model knows, with the traps of their punctuation. */
export interface LanguageText {
  title: string;
  /** A word, in lower case, that the topics must have. */
  topic: string;
  paragraphs: string[];
  /** As a reader would part them. */
  sentences: string[];
}

function article(title: string, topic: string, paragraphs: string[][], separator = ' '): LanguageText {
  return {
    title,
    topic,
    paragraphs: paragraphs.map((sentences) => sentences.join(separator)),
    sentences: paragraphs.flat(),
  };
}

export const languageTexts: Record<string, LanguageText> = {
  en: article('Town opens a library of tools', 'library', [
    [
      'Dr. Jane Moore opened the first tool library of the U.S. state of Maine on Monday, Jan. 5, at 9 a.m. in the old mill.',
      'Neighbours can borrow drills, saws, etc. for a week at no cost.',
    ],
    [
      'The library holds 3.5 tons of tools that families gave away.',
      '“We were tired of buying things that we use twice a year,” said Mr. Hill, who keeps the books.',
      'Does it pay?',
      'The town expects the tool library to save each household about 200 dollars a year.',
    ],
  ]),
  de: article('Gemeinde baut neue Brücke', 'brücke', [
    [
      'Am 3. Mai hat die Gemeinde den Bau der neuen Brücke über die Ilm beschlossen.',
      'Die alte Brücke ist, so Prof. Dr. Weber, nicht mehr sicher, d. h. sie darf nur noch zu Fuß betreten werden.',
    ],
    [
      'Die neue Brücke kostet ca. 4,2 Mio. Euro und soll bis zum 15. September fertig sein.',
      'Während der Bauzeit fahren Busse, z. B. die Linie 7, einen Umweg.',
      'Viele Anwohner freuen sich auf den kürzeren Weg in die Stadt.',
    ],
  ]),
  fr: article('Une école plante une forêt', 'forêt', [
    [
      'Les élèves de l’école de M. Dupont ont planté une petite forêt derrière la cour.',
      'La forêt compte trois cents arbres, p. ex. des chênes et des bouleaux.',
    ],
    [
      '« Nous voulions de l’ombre en été », explique Mme Martin, directrice de l’école.',
      'Chaque classe arrose une partie de la forêt pendant les vacances.',
      'La mairie veut offrir une forêt à toutes les écoles de la ville.',
    ],
  ]),
  es: article('Un pueblo vive del viento', 'viento', [
    [
      'El pueblo de la Sra. Gómez produce toda su electricidad con el viento desde el mes de enero.',
      'Los molinos de viento costaron aprox. dos millones de euros.',
    ],
    [
      '¿Quién los pagó?',
      'Los vecinos compraron la mitad de los molinos y el banco prestó el resto del dinero.',
      'El viento sopla casi todos los días en la sierra y la factura de cada casa bajó a la mitad.',
    ],
  ]),
  ru: article('В городе открыли музей часов', 'музей', [
    [
      'В городе открыли музей часов, который основал проф. Иванов.',
      'Музей занимает старую башню на ул. Садовой и хранит более 3 тыс. часов из разных стран.',
    ],
    [
      'Самые старые часы музея сделаны в 1720 г. в Лондоне.',
      'Каждый час в музее звучит музыка, которую играют сто механизмов сразу.',
      'Жители города приносят в музей часы своих дедов.',
    ],
  ]),
  ar: article('مدينة تزرع الحدائق فوق السطوح', 'حدائق', [
    [
      'زرعت المدينة مئة من الحدائق فوق سطوح البيوت في هذا العام.',
      'تخفض الحدائق حرارة البيوت في الصيف وتعطي السكان الخضار.',
    ],
    [
      'هل تكفي المياه؟',
      'تجمع البيوت مياه المطر في الشتاء لكي تسقي الحدائق في الصيف.',
      'يقول المهندس إن المدينة تريد ألف حديقة جديدة في العام القادم.',
    ],
  ]),
  zh: article(
    '小城修复古老的水车',
    '水车',
    [
      ['小城的居民花了三年时间修复了一座古老的水车。', '水车建于一七二〇年，曾经为全城磨面粉。'],
      [
        '“我们不想让水车消失。”',
        '修复水车的费用来自居民的捐款和省政府的补助。',
        '现在水车每天发电，足够供应五十户家庭使用。',
      ],
    ],
    '',
  ),
  ja: article(
    '町が古い駅を図書館にした',
    '図書館',
    [
      [
        '小さな町が使われなくなった駅を図書館に変えました。',
        '図書館には二万冊の本があり、だれでも無料で借りることができます。',
      ],
      [
        '駅のホームは読書のための庭になりました。',
        '図書館を作る費用は町の人々の寄付でまかなわれました。',
        '来年は図書館の隣に子どものための部屋が作られる予定です。',
      ],
    ],
    '',
  ),
};
