import * as stopWordLists from 'stopword';
import { foldWord } from './fold-word.ts';

/** What splitting and ranking must know of a language. Lower case, without the marks that `foldWord` removes. */
export interface LanguageWords {
  /** Words that carry no topic. */
  stopWords: ReadonlySet<string>;
  /** What a full stop follows without ending the sentence. */
  abbreviations: ReadonlySet<string>;
  /** Beginnings that point to a sentence before. */
  backReferences: ReadonlySet<string>;
}

const set = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const everywhere = 'no nr vol vs etc prof dr st art pp cf al ed fig approx inc ltd corp co';

const english: LanguageWords = {
  stopWords: set(
    "a about above after again against all also although am an and any are aren't as at be because been before being below between both but by can can't could did do does doing don't down during each even ever every few for from further get gets had has have having he he's her here hers herself him himself his how however i i'm if in into is isn't it it's its itself just like made make many may me might more most much must my myself new no nor not now of off on once one only or other our ours out over own per said same say says she should since so some still such than that that's the their theirs them themselves then there these they they're this those though through to too two under until up upon us very was we we're well were what when where whether which while who whom whose why will with within without would yes yet you you're your yours",
  ),
  abbreviations: set(
    `${everywhere} mr mrs ms rev gen col lt sgt capt gov sen rep hon jr sr jan feb mar apr jun jul aug sep sept oct nov dec mt ave blvd rd dept univ assn bros e.g i.e a.m p.m u.s u.k u.n d.c ph.d m.d b.a m.a`,
  ),
  backReferences: set(
    'he she it they this that these those but and so however also then there here such him her them his its their yet still moreover furthermore additionally meanwhile instead therefore thus nevertheless otherwise similarly finally or nor',
  ),
};

const german: LanguageWords = {
  stopWords: set(
    'aber alle allem allen aller alles als also am an ander andere anderen anderer anderes auch auf aus bei beim bin bis bist da dabei dadurch dafur damit danach dann das dass dazu dein dem den denn der des dessen dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines einige einmal er es etwa etwas euch euer fur gegen gewesen hab habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in indem ins ist ja jede jedem jeden jeder jedes jedoch jetzt kann kein keine keinem keinen keiner konnen konnte machen man manche mehr mein meine mich mir mit muss mussen nach nicht nichts noch nun nur ob oder ohne schon sehr sein seine seinem seinen seiner seit selbst sich sie sind so solche soll sollen sollte sondern sonst uber um und uns unser unter viel vom von vor wahrend war waren warum was weil weiter welche welchem welchen welcher wenn wer werde werden wie wieder will wir wird wo wurde wurden zu zum zur zwar zwischen',
  ),
  abbreviations: set(
    `${everywhere} z.b z b d.h d h u.a u a bzw ca evtl ggf inkl usw u.s.w sog str tel vgl zzgl mio mrd jh abb abs bd hr fr hrsg ing i.d.r o.g u.u v.a s.o s.u jan feb mrz apr aug sept okt nov dez dipl`,
  ),
  backReferences: set(
    'er sie es dies diese dieser dieses das dabei dadurch dafur damit danach dann dazu aber und doch jedoch auch so deshalb daher darum dort hier denn oder ausserdem zudem ihm ihr ihnen sein seine ihre allerdings trotzdem dennoch schliesslich',
  ),
};

const french: LanguageWords = {
  stopWords: set(
    'a afin ai ainsi alors apres as assez au aucun aucune aussi autre autres aux avait avant avec avoir c car ce ceci cela celle celles celui ces cet cette ceux chaque chez comme comment contre d dans de depuis des deux doit donc dont du elle elles en encore entre est et etaient etait ete etre eu eux fait fois il ils j je jusqu l la le les leur leurs lors lorsque lui m ma mais me meme memes mes moi moins mon n ne ni non nos notre nous on ont ou par parce pas pendant peu peut plus pour pourquoi pres qu quand que quel quelle quelles quels qui quoi s sa sans se selon sera ses si sien son sont sous sur t ta tandis te tes toi ton tous tout toute toutes tres tu un une vers voici voila vos votre vous y',
  ),
  abbreviations: set(
    `${everywhere} m mm mme mlle av bd c.-a-d ex env p.ex p ex janv fevr avr juil sept oct nov dec ch fol hab min max mgr`,
  ),
  backReferences: set(
    'il elle ils elles ce cela ceci ces cet cette mais et donc alors ainsi aussi cependant toutefois puis ensuite pourtant lui leur son sa ses celui celle ceux car or enfin',
  ),
};

const spanish: LanguageWords = {
  stopWords: set(
    'a al algo algun alguna algunas alguno algunos ante antes aquel asi aun aunque bien cada como con contra cual cuales cuando cuanto de del desde donde dos durante e el ella ellas ellos en entre era eran es esa esas ese eso esos esta estaba estado estan estar estas este esto estos fue fueron ha habia han hace hacer hacia hasta hay he la las le les lo los mas me menos mi mientras mis mismo mucho muchos muy nada ni no nos nosotros nuestra nuestro o os otra otras otro otros para pero poco por porque pues que quien quienes se sea segun ser si sido sin sino sobre son su sus tal tambien tan tanto te tener tiene tienen toda todas todavia todo todos tras tu tus un una unas uno unos usted ustedes va vez y ya yo',
  ),
  abbreviations: set(
    `${everywhere} sr sra srta ud uds dra ee.uu ee uu pag pags av avda cia gral lic ing tel aprox ene feb mar abr jun jul ago sept oct nov dic p.ej p ej num`,
  ),
  backReferences: set(
    'el ella ellos ellas esto eso este esta estos estas ese esa pero y asi ademas tambien entonces luego sin ello su sus sino aunque por lo',
  ),
};

const russian: LanguageWords = {
  stopWords: set(
    'а без более больше будет будто бы был была были было быть в вам вас вдруг ведь во вот впрочем все всегда всего всеи всем всеми всех всю вы где да даже два для до другои его ее еи ему если есть еще ж же за здесь и из или им иметь их к как какая какои когда конечно кто куда ли лучше между меня мне много может можно мои моя мы на над надо наконец нас не него нее неи нельзя нет ни нибудь никогда ним них ничего но ну о об один он она они оно опять от очень перед по под после потом потому почти при про раз разве с сам самыи свое своеи своих свои своего свою себе себя сеичас со собои так такои также там тебя тем теперь то тогда того тоже только том тот три тут ты у уж уже хорошо хоть хотя чего чеи чем через что чтоб чтобы чуть эти этим этих это этого этои этом этому этот эту я которыи которая которое которые которых котором года году',
  ),
  abbreviations: set(
    'г гг в вв т д т.д т п т.п т.е т е и др пр см ср стр рис табл руб коп тыс млн млрд трлн им ул пл пр-т обл р-н н э н.э акад проф доц гр гос янв февр авг сент окт нояб дек кв корп напр',
  ),
  backReferences: set(
    'он она оно они это этот эта эти но и а однако также тоже тогда затем потом поэтому так там здесь его ее их ему им кроме при зато ведь наконец итак',
  ),
};

const arabic: LanguageWords = {
  stopWords: set(
    'في من على الى إلى عن مع هذا هذه ذلك تلك التي الذي الذين اللذين ان أن إن كان كانت يكون تكون قد لقد لم لن لا ما هو هي هم هن نحن انا أنا أنت كل بعض غير بين بعد قبل عند عندما حتى ثم او أو أم و ف ب ل ك كما لكن بل إذا اذا لو حيث منذ خلال ضد حول فوق تحت أي اي أيضا ايضا فقط ليس ليست وهو وهي وقد وكان وكانت ولا وفي ومن وعلى وان وأن مما فيها فيه منها منه عليه عليها له لها لهم به بها بهم يمكن هناك هنا كذلك مثل سوى نحو لدى دون اكثر أكثر احد أحد وذلك الا إلا',
  ),
  abbreviations: set('د أ م ه ق.م ص ج ت'),
  backReferences: set('هو هي هم هذا هذه ذلك تلك لكن ولكن كما أيضا وهو وهي ثم وهذا وهذه بل لذلك وذلك كذلك'),
};

const chinese: LanguageWords = {
  stopWords: set(
    '的 了 和 是 在 就 都 而 及 与 着 或 一个 没有 我们 你们 他们 她们 它们 我 你 他 她 它 这 那 这个 那个 这些 那些 之 也 不 但 但是 因为 所以 如果 虽然 然而 以及 对 对于 关于 从 到 被 把 让 向 由 为 为了 以 于 其 其中 还 又 很 更 最 会 能 可以 可能 要 将 已 已经 上 下 中 里 有 等 等等 并 并且 个 年 月 日 时 后 前 说 一 二 两 三 来 去 做 给 使 吗 呢 吧 啊 什么 怎么 如何 每 各 某 该 此 则 即 只 才 却 因此 通过 进行',
  ),
  abbreviations: new Set(),
  backReferences: set(
    '他 她 它 他们 她们 它们 这 那 这个 这些 那些 但 但是 而 所以 因此 然而 此外 另外 同时 不过 并且 于是 其 此',
  ),
};

const japanese: LanguageWords = {
  stopWords: set(
    'の に は を た が で て と し れ さ ある いる も する から な こと として い や れる など なっ ない この ため その あっ よう また もの という あり まで られ なる へ か だ これ によって により おり より による ず なり られる において ば なかっ なく しかし について せ だっ できる それ う ので なお のみ でき き つ における および いう さらに でも ら たり その他 に関する たち ます ん なら に対して ください です ました ませ でし まし そして それぞれ または ほど ながら うち ところ とき 年 月 日 者 的 人 時 後 前 中 等 ここ そこ どこ 私 あなた 彼 彼女 さん',
  ),
  abbreviations: new Set(),
  backReferences: set(
    'これ それ この その また しかし そして だが さらに なお ただし 彼 彼女 ここ そこ こうした そのため つまり 一方 ところが',
  ),
};

const none: LanguageWords = {
  stopWords: new Set(),
  abbreviations: set(everywhere),
  backReferences: new Set(),
};

const languages: Readonly<Record<string, LanguageWords>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  ru: russian,
  ar: arabic,
  zh: chinese,
  ja: japanese,
};

/** Of languages that have stop words in the package and nothing else here: ISO 639-1 to 639-3. */
const listed: Readonly<Record<string, string>> = Object.fromEntries(
  'bg:bul bn:ben ca:cat cs:ces da:dan el:ell et:est eu:eus fa:fas fi:fin gl:glg gu:guj he:heb hi:hin hr:hrv hu:hun hy:hye id:ind it:ita ko:kor la:lat lt:lit lv:lav mr:mar ms:msa nb:nob nl:nld no:nob pl:pol pt:por ro:ron sk:slk sl:slv sv:swe sw:swa th:tha tl:tgl tr:tur uk:ukr ur:urd vi:vie'
    .split(' ')
    .map((pair) => pair.split(':')),
);
const lists = new Map(Object.entries(stopWordLists));
const known = new Map<string, LanguageWords>(Object.entries(languages));

/** @param language ISO 639-1; one that is not known here is split and ranked by what all have in common. */
export function wordsOfLanguage(language: string | null): LanguageWords {
  const code = language ?? '';
  let words = known.get(code);
  if (words === undefined) {
    const stopWords = new Set(lists.get(listed[code] ?? '')?.map(foldWord));
    known.set(code, (words = { ...none, stopWords }));
  }
  return words;
}
