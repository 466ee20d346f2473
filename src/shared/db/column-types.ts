import type { ColumnType } from 'kysely';

export type Timestamp = ColumnType<Date, Date | string, Date | string>;
export type GeneratedTimestamp = ColumnType<Date, Date | string | undefined, Date | string>;
/** Written as JSON text, read parsed. */
export type Json<T> = ColumnType<T | null, string | null | undefined, string | null>;
