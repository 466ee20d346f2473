import { type AnyNode, type Element, isTag, isText } from 'domhandler';
import { textOf } from './page-facts.ts';
import { type DateWriting, readWrittenDate } from './written-date.ts';

/** What tells the day of a change: the words before it, or the names of its element. */
export const changeWords =
  /\b(?:updated|modified|revised|last (?:changed|edited|reviewed)|(?:zuletzt )?(?:aktualisiert|geändert)|stand:|mis à jour|modifié|actualizado|aggiornato|atualizado|bijgewerkt|gewijzigd|uppdaterad|opdateret|oppdatert|päivitetty|aktualizacja|aktualizováno|güncelle\w*)|обновлен[оа]|изменено|оновлено|更新|最終変更|수정/i;
/** Behind these words stands no day of publication. */
export const notPublished = new RegExp(`${changeWords.source}|\\blast active\\b`, 'i');
/** What begins so tells of a change, and of no thing that has changed. */
const beginning = new RegExp(
  `^\\W*(?:(?:this|the) (?:page|article|document|post) (?:was|has been) )?(?:(?:last|most recently|zuletzt) )?(?:edited\\b|${changeWords.source})`,
  'i',
);
const published = /publish|pubdate|posted|entry-date|datecreated/;
export const publicationWords =
  /\bpublish|\bposted|veröffentlicht|publié|publicad|pubblicat|gepubliceerd|publicerad|publiceret|publisert|julkaistu|opublikowan|publikován|yayın|опубликован|опубліковано|公開|公开|发布|發布|掲載|投稿|입력|등록/i;
const changedNames = /updat|modif|revision|(?:^|[\s_-])changed(?:\s|$)/;
/** A part of a name that says so by itself; `updates` are news. */
const changedName =
  /(?:^|[\s:_-])(?:updated|modified|revision[_-]date|(?:last|date)[_-]?(?:updated?|mod(?:ified)?))(?:[\s_-]|$)/;

export const dateNames = ({ attribs }: Element): string =>
  `${attribs['class'] ?? ''} ${attribs['itemprop'] ?? ''} ${attribs['property'] ?? ''} ${attribs['id'] ?? ''}`.toLowerCase();

export const namesPublication = (element: Element): boolean =>
  published.test(dateNames(element)) || element.attribs['pubdate'] !== undefined;

export const namesChange = (element: Element): boolean =>
  /datemodified/i.test(`${element.attribs['itemprop'] ?? ''} ${element.attribs['property'] ?? ''}`) ||
  (changedNames.test(dateNames(element)) && !(element.name === 'time' && namesPublication(element)));

/** Elements that what tells a day, or stands before it, may hold. */
const mostWithin = 100;

/** Whether an element is there for the day of a change alone. */
export const isChangeMark = (element: Element): boolean =>
  changedName.test(dateNames(element)) && namesChange(element) && textOf(element, 80, mostWithin).length < 60;

/** What an element and what stands before it say of its day. */
export interface ChangeWords {
  /** The day is that of a change by its names, or those of what it stands in. */
  isNamed: boolean;
  own: string;
  /** Empty where the nearest words tell a day of their own. */
  before: string;
}

const levels = 3;
const wordsKnown = new WeakMap<Element, ChangeWords>();

/** @param writing that of the element's page. */
export function changeWordsOf(element: Element, writing: DateWriting): ChangeWords {
  const known = wordsKnown.get(element);
  if (known !== undefined) return known;
  const words = readChangeWords(element, writing);
  wordsKnown.set(element, words);
  return words;
}

function readChangeWords(element: Element, writing: DateWriting): ChangeWords {
  const own = textOf(element, 40, mostWithin);
  let isNamed = namesChange(element);
  let holder: AnyNode | null = element;
  for (let level = 0; level < levels && holder !== null && isTag(holder); level++, holder = holder.parent) {
    if (level > 0) isNamed ||= namesChange(holder);
    for (let beside = holder.prev, n = 0; beside !== null && n < 3; beside = beside.prev, n++) {
      const text = isTag(beside)
        ? textOf(beside, 200, mostWithin)
        : isText(beside)
          ? beside.data.trim().slice(-200)
          : '';
      if (text !== '') return { isNamed, own, before: readWrittenDate(text, writing) === null ? text : '' };
    }
  }
  return { isNamed, own, before: '' };
}

/** Whether it is the day of a change or, by other words, none of publication. */
export const isNoPublication = ({ isNamed, own, before }: ChangeWords): boolean =>
  isNamed || notPublished.test(own) || notPublished.test(before);

export const tellsChange = ({ isNamed, own, before }: ChangeWords): boolean =>
  isNamed || changeWords.test(own) || changeWords.test(before);

export const beginsWithChange = ({ own, before }: ChangeWords): boolean =>
  beginning.test(own) || beginning.test(before);

/** A line without the day of a change: what stands before the words that tell it, or behind those that tell the publication. */
export function withoutChange(text: string): string {
  const [first = '', ...behind] = text.split(notPublished);
  if (first.trim() !== '' || behind.length === 0) return first;
  const rest = behind.join(' ');
  const at = rest.search(publicationWords);
  return at < 0 ? '' : rest.slice(at);
}
