import { decodeXML } from 'entities';
import { AppError } from '../../shared/errors.ts';
import { readIsoDate } from '../extract/iso-date.ts';
import { toLanguageTag } from '../extract/language-tag.ts';
import type { DocumentContent } from './document-content.ts';
import { givenMoment, givenTitle } from './placeholders.ts';
import { unpackEntry, type ZipEntry } from './zip.ts';

/** The text of a part of an office document; empty where it has none. */
export function readPart(file: Buffer, entries: readonly ZipEntry[], name: string): string {
  const entry = entries.find((one) => one.name === name);
  return entry === undefined ? '' : unpackEntry(file, entry).toString('utf8');
}

/** The value of an attribute in a tag. @param name a pattern. */
export function attribute(tag: string, name: string): string | null {
  const value = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag);
  return value === null ? null : decodeXML(value[1] ?? value[2] ?? '');
}

/** The relationships of a part, or of the package itself (ECMA-376 part 2, section 9.3), as tags. */
export function readRelations(file: Buffer, entries: readonly ZipEntry[], part: string): string[] {
  const [, folder = '', name = ''] = /^(.*\/)?([^/]*)$/.exec(part) ?? [];
  const xml = readPart(file, entries, `${folder}_rels/${name}.rels`);
  return [...xml.matchAll(/<(?:\w+:)?Relationship\s[^<>]*>/g)].map(([tag]) => tag);
}

/** What an office document says of itself (ECMA-376 part 2, core properties). */
export function readProperties(
  file: Buffer,
  entries: readonly ZipEntry[],
): Omit<DocumentContent, 'html' | 'warnings'> {
  const entry = entries.find(({ name }) => name === 'docProps/core.xml');
  const xml = entry === undefined || entry.bytes > 1_000_000 ? '' : unpackEntry(file, entry).toString('utf8');
  const text = (name: string): string | null => {
    const value = new RegExp(`<${name}(?:\\s[^>]{0,500})?>([^<]{1,2000})</${name}>`).exec(xml)?.[1];
    return value === undefined ? null : decodeXML(value).trim() || null;
  };
  const moment = (name: string): string | null => givenMoment(readIsoDate(text(name) ?? '') ?? null);
  return {
    title: givenTitle(text('dc:title')),
    author: text('dc:creator'),
    publishedAt: moment('dcterms:created'),
    modifiedAt: moment('dcterms:modified'),
    language: toLanguageTag(text('dc:language')),
  };
}

export function unreadable(what: string, cause: unknown): AppError {
  return new AppError(
    'unsupported_content',
    `The ${what} is damaged or encrypted and cannot be read. Give the URL of another copy.`,
    { cause },
  );
}
