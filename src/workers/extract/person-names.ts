import { decodeHTML } from 'entities';
import { collapse, isRecord } from './page-facts.ts';
import { bare } from './site-name.ts';

export const noName =
  /^(?:admin(?:istrator)?|editor|guest|anonymous|unknown|author|authors|staff writer|user|null|undefined|webmaster|none|n\/a|view all|see all|posts?|share|follow|about|contact|home|read more|updated|published|website|team|by|記者|记者)$/i;
/** "Author" in many languages: with a colon behind it, what follows is a name. */
export const authorWords =
  'authors?|autor(?:in|a|ka|es?|i|zy| tekstu)?|autoři|auteure?s?|författare|forfatter|skribent|kirjoittaja|szerző|yaza[rn]|piše|tác giả|oleh|penulis|автор[ыи]?|συγγραφέας|συντάκτης|מאת|كتبه?|بقلم|الكاتب|نویسنده|लेखक|โดย|ผู้เขียน|著者|作者|執筆者?|撰文|取材・文|ライター|文|글';
const leading = new RegExp(
  String.raw`^(?:(?:about the author:?|(?:article |story |post(?:ed)? |written |reported |words |text |reviewed |medically reviewed )?by\b|von|par|por|מאת|โดย|autor(?:in)?|authors?|von:|author\(s\))\s*:?\s+|(?:${authorWords}|te(?:x|ks)ti?)\s*[:：]\s*)`,
  'i',
);

const weekdays = ['de', 'en', 'es', 'fr', 'it', 'nl', 'pl', 'pt', 'ru', 'sv', 'tr']
  .flatMap((language) => {
    const { format } = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' });
    return Array.from({ length: 7 }, (_, day) => format(Date.UTC(2024, 0, 1 + day)));
  })
  .join('|');
/** As they stand behind a day: `5 marca`. */
const months = ['de', 'en', 'es', 'fr', 'it', 'nl', 'pl', 'pt', 'ru', 'sv', 'tr']
  .flatMap((language) => {
    const format = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'long', timeZone: 'UTC' });
    return Array.from(
      { length: 12 },
      (_, n) => format.formatToParts(Date.UTC(2024, n, 1)).find(({ type }) => type === 'month')?.value ?? '',
    );
  })
  .join('|');
/** "Sun" is a name too: behind a mark alone it is a day. */
const shortWeekday = String.raw`(?:Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|(?<=[,|(–—-]\s?)Sun)\b`;
const month = '(?:Jan|Feb|Mar|Apr|May|Ju[nl]|Aug|Sep|Oct|Nov|Dec)';
const dayOfMonth = String.raw`\p{Nd}{1,2}(?:st|nd|rd|th|er|[.º])?\s`;
/** How dates, hours and durations begin; a number before another word may be part of a name: Channel 4 News. */
const dayBegins = [
  String.raw`\p{Nd}{4}[-/.年]|(?<=[,(|–—-]\s?)\p{Nd}{4}(?!\p{L})|\p{Nd}{1,2}[.:/-]\p{Nd}|\p{Nd}{1,2}(?:min|[hdm])\b`,
  String.raw`${dayOfMonth}(?:(?:de\s)?(?:${months})(?!\p{L})|${month}|\p{L}[\p{L}\p{M}]{2,15}[.,]?\s\p{Nd}{4})`,
  String.raw`\p{Nd}{1,2}\s(?:(?:min(?:ute)?|hour|day|week|month|year)s?\s(?:ago|read))`,
  String.raw`${month}[a-z]{0,6}\.?\s\p{Nd}`,
].join('|');
const gap = String.raw`[\s,|(–—-]{1,3}`;
/** Behind a name, a day with what introduces it: a weekday, "le", a dash. */
const dayBehind = new RegExp(
  String.raw`(?:(?<=[\p{Lu}\p{Lo}][\p{L}\p{M}.'’]{0,40})(?:${gap}(?:${weekdays}|${shortWeekday}|\p{Ll}{1,4}(?!\p{L}))\.?){1,3}|(?<=[\p{L}\p{M}.]))(?:${gap}|(?<=\p{Lo}))(?:${dayBegins}).*$`,
  'u',
);
export const withoutDay = (text: string): string => text.replace(dayBehind, '');

export const trailing =
  /\s*(?:[|•·–—]|\bon\b|\bposted\b|\bpublished\b|\bupdated\b|\bin\b(?=\s[A-Z])|\bfor\b|\d{1,2}[./]\d{1,2}|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d|\b(?:senior|staff|chief|contributing|associate|freelance|assistant|managing|executive|digital|political|deputy)\b|, (?:(?:senior|staff|chief|contributing|editor|reporter|correspondent|writer|columnist|md|phd|rd|the|author|founder|ceo)\b).*|\bis (?:a|an|the)\b|\b(?:minutes?|min) read|[／/\s]\s?[^\s／/]{1,10}(?:報導|報道|报道)$).*$/i;

/** In capitals behind a name; two letters of another kind are one. */
export const degrees = /, [A-Z]{2,4}\b.*$/;

/** Characters of a text that may hold names. */
export const longestNames = 1_000;

/** A name as structured data states it, or null where it is none; nothing of it is a label or a rank. */
function statedName(text: string): string | null {
  const name = collapse(text)
    .replace(/^by:?\s+/i, '')
    .replace(/^@/, '');
  return isName(name) ? name : null;
}

/** One person's name out of a text, or null where it is none. */
function cleanName(text: string): string | null {
  const name = collapse(text)
    .replace(/^\W+/u, (marks) => (/[\p{L}]/u.test(marks) ? marks : ''))
    .replace(leading, '')
    .replace(trailing, '')
    .replace(degrees, '')
    .replace(/^@/, '')
    .replace(/\s*[⋅•].*$/u, '')
    .replace(/[\s,;:|.-]+$/, '')
    .replace(
      /(\p{Ll})(?:January|February|March|April|May|June|July|August|September|October|November|December).*$/u,
      '$1',
    )
    .replace(/ (?:기자|記者|记者)$/u, '')
    .replace(/,? (?:RN|MD|PhD|Ph\.D\.?|M\.D\.?|RD|CPA|DVM|DDS)$/, '')
    .trim();
  return isName(name) ? name : null;
}

const particles =
  /^(?:van|von|vom|der|den|de|del|della|degli|di|da|dal|das|do|dos|du|des|la|las|le|lo|los|el|al|ul|bin|bint|ibn|ben|ter|ten|te|zu|zum|zur|und|and|y|e|et|i|af|av|of|the|op|het|in|mac|an|auf|aan)$/;
/** `al-Sayed`, `d’Arc`: the name begins behind the mark. */
const smallWord = /^\p{Ll}(?!\p{L}*[-'’]\p{Lu})/u;

/** Whether it is written as words are; two may be a name in small letters. */
export function isProse(text: string): boolean {
  const words = text.split(' ');
  return (
    words.length > 2 && words.filter((word) => smallWord.test(word) && !particles.test(word)).length >= 2
  );
}

function isName(name: string): boolean {
  if (name.length < 2 || name.length > 60 || noName.test(name)) return false;
  if (/https?:|www\.|@|[{}<>#=?!]|\d{3}|\.(?:com|org|net)\b/.test(name)) return false;
  return name.split(' ').length <= 7 && /\p{L}\P{L}*\p{L}/u.test(name);
}

/** As Japanese and Chinese set them before the names that are marked, and before others behind these. */
const easternLeading =
  /^\s*(?:記者|记者|编辑|編輯|編集|撰文|取材・文|ライター|執筆者?|著者|作者|文)\s*[:：／/]\s*/u;
const easternOthers = /\s(?:写真|撮影|摄影|攝影|编辑|編輯|編集|责编|責編)\s*[:：／/].*$/u;

export const splitNames = (text: string): string[] =>
  /^\s*(?:https?:|www\.)/.test(text)
    ? []
    : collapse(text)
        .slice(0, longestNames)
        .replace(easternLeading, '')
        .replace(easternOthers, '')
        .split(/\s*(?:[;|&/、；؛،／]|,(?!\s*(?:Jr|Sr|Ph(?:\.? ?D)?|M\.?D)\b)|\band\b|\bund\b)\s*/i);

/** Names that structured data states; what follows the first in the same text may be a rank. */
export function statedNames(value: unknown): string[] {
  const list = Array.isArray(value) ? value.slice(0, 20) : [value];
  const texts = list.flatMap((one: unknown) => (isRecord(one) ? one['name'] : one));
  return distinct(
    texts.flatMap((text: unknown) =>
      typeof text !== 'string'
        ? []
        : splitNames(decodeHTML(text.slice(0, longestNames)))
            .filter((part, i) => i === 0 || cleanName(part) !== null)
            .map(statedName),
    ),
  );
}

/** What somebody is, in words behind a name. */
const rank =
  /(?:^|\s)(?:correspondent|reporter|editor|writer|columnist|contributor|producer|photographer|photojournalist|analyst|critic|redakteur(?:in)?|rédact(?:eur|rice)|journalist[ea]?)s?$/i;

export const clean = (list: readonly string[]): string[] =>
  distinct(list.map((text, i) => (i > 0 && rank.test(text.trim()) ? null : cleanName(text))));

function distinct(names: readonly (string | null)[]): string[] {
  const found = new Map<string, string>();
  for (const name of names) if (name !== null && !found.has(bare(name))) found.set(bare(name), name);
  return [...found.values()].slice(0, 10);
}
