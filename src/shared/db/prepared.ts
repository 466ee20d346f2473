import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import { type Db, retryConflicts, runQuery } from './client.ts';

/** Stands in a statement's text for a value that each run reads from its items. */
class Read<Item> {
  readonly from: (items: readonly Item[]) => unknown;

  constructor(from: (items: readonly Item[]) => unknown) {
    this.from = from;
  }
}

/** A column of the rows that a statement is given: its Postgres type, and its value of a row. */
export type Column<Item> = readonly [type: string, read: (item: Item) => unknown];

/** What the text of a statement is made of, where its arguments are items. */
export interface Shape<Item> {
  /**
   * The items as rows, with their `place` from 1 on. A single one, which is the usual case, is plain values: they
   * become constants of the plan, which then takes two thirds of the time. More are arrays behind a select, where
   * Postgres cannot see how many values they have, and so deems a kept plan as good as one made for just them.
   */
  rows: (alias: string, columns: Record<string, Column<Item>>) => RawBuilder<never>;
  value: (reader: (items: readonly Item[]) => unknown) => RawBuilder<never>;
}

function shapeOf<Item>(isOne: boolean): Shape<Item> {
  return {
    value: (reader) => sql`${new Read(reader)}`,
    rows(alias, columns) {
      const name = sql`${sql.ref(alias)} (${sql.join([...Object.keys(columns), 'place'].map((it) => sql.ref(it)))})`;
      const values = Object.values(columns).map(([type, readItem]) =>
        isOne
          ? sql`${new Read<Item>(([item]) => readItem(item as Item))}::${sql.raw(type)}`
          : sql`(select ${new Read<Item>((items) => items.map(readItem))}::${sql.raw(type)}[])`,
      );
      return isOne
        ? sql`(values (${sql.join(values)}, 1)) as ${name}`
        : sql`unnest(${sql.join(values)}) with ordinality as ${name}`;
    },
  };
}

/**
 * A statement of the life of a job. Postgres parses and plans it once a connection (see connections.ts), and its text
 * is made once a process: both take longer than to run it.
 * @param variantOf names what else the text depends on; one text for each.
 */
export function prepare<Row, Item>(
  name: string,
  build: (shape: Shape<Item>, items: readonly Item[]) => RawBuilder<Row>,
  variantOf: (items: readonly Item[]) => string = () => '',
): (db: Db, items: readonly Item[]) => Promise<Row[]> {
  const compiled = new Map<string, CompiledQuery<Row>>();
  return async (db, items) => {
    const isOne = items.length === 1;
    const mark = `${name}-${isOne ? 'one' : 'many'}${variantOf(items)}`;
    let query = compiled.get(mark);
    if (query === undefined) {
      query = sql<Row>`${sql.raw(`-- prepared: ${mark}\n`)}${build(shapeOf(isOne), items)}`.compile(db);
      compiled.set(mark, query);
    }
    const parameters = query.parameters.map((value) =>
      value instanceof Read ? (value as Read<Item>).from(items) : value,
    );
    const statement = { ...query, parameters };
    return await retryConflicts(db, () => runQuery(db, statement));
  };
}
