import type { Generated, GeneratedAlways } from 'kysely';
import type { GeneratedTimestamp, Timestamp } from './column-types.ts';

/** Pages that Quarry has seen, for backlinks. Hashes are the first half of the URL's SHA-256, as a UUID. */
export interface LinkIndexPagesTable {
  url_hash: string;
  url: string;
  domain: string;
  title: string | null;
  status: number | null;
  internal_links: number;
  external_links: number;
  first_seen_at: GeneratedTimestamp;
  last_seen_at: GeneratedTimestamp;
}

/** Links from one registrable domain to another. */
export interface LinkIndexLinksTable {
  from_hash: string;
  to_hash: string;
  to_url: string;
  from_domain: string;
  to_domain: string;
  anchor: string;
  rel: string;
  /** Its content is an image without other text; `anchor` is what the image is called. */
  image: Generated<boolean>;
  /** By `rel`: neither nofollow nor sponsored nor ugc. */
  followed: GeneratedAlways<boolean>;
  first_seen_at: GeneratedTimestamp;
  last_seen_at: GeneratedTimestamp;
}

export type SeoDatasetKind =
  'tranco' | 'commoncrawl-ranks' | 'commoncrawl-vertices' | 'commoncrawl-edges' | 'link-index';

/** Imported lists and graphs, and what is computed from the link index. Their rows are partitions `<table>_<id>`. */
export interface SeoDatasetsTable {
  id: GeneratedAlways<number>;
  kind: SeoDatasetKind;
  name: string;
  as_of: string;
  /** Tells whether a resumed import reads the same file. */
  file_hash: string | null;
  /** Of the file, decompressed: up to here its rows are stored. */
  offset_bytes: Generated<number>;
  row_count: Generated<number>;
  /** Lines that are no row, such as a header. */
  skipped_count: Generated<number>;
  started_at: GeneratedTimestamp;
  /** Null: being imported, or left half-way; nobody sees its rows. */
  finished_at: Timestamp | null;
}

/** What public endpoints and vendors answered, for a day. */
export interface SeoAnswersTable {
  key: Buffer;
  answer: string;
  stored_at: GeneratedTimestamp;
}
