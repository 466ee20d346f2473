import { isDeepStrictEqual } from 'node:util';

/** As much of JSON Schema as zod writes. */
export interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  pattern?: string;
  format?: string;
  default?: unknown;
  [bound: string]: unknown;
}

/** What a client of one operation relies on. */
export interface Contract {
  /** Method and path; null: other operations call it, no client. */
  route: string | null;
  /** JSON Schemas, without texts; that of the request with its defaults. */
  request: Schema;
  answer: Schema;
  /** Of what is stored, as its presenter reads it; `answer` where that is stored and sent as it is; null: nothing is. */
  stored: Schema | 'answer' | null;
  /** Who may ask, in any of these ways. */
  access: string[];
  /** Of a success. */
  status: number;
  /** That carry the answer too. */
  otherStatuses: number[];
  form: 'envelope' | 'bare';
  /** How a key that is not accepted is answered. */
  refusal: 'problem' | 'invalid';
  mediaTypes: string[];
  /** The media type that is answered where `Accept` leaves it open: by `default`, and for each `field=value`. */
  preferred: Record<string, string>;
  errors: string[];
}

/** By the id of the operation. */
export type Contracts = Record<string, Contract>;

/**
 * `request`: what was accepted must be accepted still, and mean the same. `answer`: what clients read must be there still,
 * and nothing they do not know of. `stored`: what was written must be what is read now, which nobody checks or completes.
 */
type Side = 'request' | 'answer' | 'stored';

const lowerBounds = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems'];
const upperBounds = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'];

function resolve(schema: Schema, root: Schema): Schema {
  const name = /^#\/\$defs\/(.+)$/.exec(schema.$ref ?? '')?.[1];
  return name === undefined ? schema : (root.$defs?.[name] ?? schema);
}

const valuesOf = (schema: Schema): unknown[] | null =>
  schema.enum ?? ('const' in schema ? [schema.const] : null);

const formsOf = (schema: Schema): Schema[] => schema.anyOf ?? schema.oneOf ?? [schema];

/** Where requests may no longer say what they said, or answers say what they never said. */
function changesOfValues(before: Schema, after: Schema, side: Side): string[] {
  const [from, to] = side === 'answer' ? [after, before] : [before, after];
  const [taken, given] = [valuesOf(from), valuesOf(to)];
  if (given === null) return [];
  if (taken === null)
    return [side === 'answer' ? 'answers more than named values' : 'takes named values only'];
  const lost = taken.filter((value) => !given.some((other) => isDeepStrictEqual(value, other)));
  if (lost.length === 0) return [];
  const named = lost.map((value) => JSON.stringify(value)).join(', ');
  return [side === 'answer' ? `may now answer ${named}` : `no longer takes ${named}`];
}

function changesOfBounds(before: Schema, after: Schema): string[] {
  const narrowed = [
    ...lowerBounds.filter((name) => Number(after[name] ?? -Infinity) > Number(before[name] ?? -Infinity)),
    ...upperBounds.filter((name) => Number(after[name] ?? Infinity) < Number(before[name] ?? Infinity)),
    ...['pattern', 'format'].filter((name) => after[name] !== undefined && after[name] !== before[name]),
  ];
  return narrowed.map((name) => `${name} is now ${String(after[name])}`);
}

/** Compares two versions of one schema, and all in it. */
class Comparison {
  readonly changes: string[] = [];
  readonly #side: Side;
  readonly #roots: { before: Schema; after: Schema };
  readonly #seen = new Set<string>();

  constructor(side: Side, before: Schema, after: Schema) {
    this.#side = side;
    this.#roots = { before, after };
    this.#compare(before, after, side);
  }

  #compare(older: Schema, newer: Schema, path: string): void {
    const pair = `${older.$ref ?? ''} ${newer.$ref ?? ''}`;
    // A schema that holds itself is compared once.
    if (older.$ref !== undefined && newer.$ref !== undefined && this.#seen.has(pair)) return;
    this.#seen.add(pair);
    if (
      this.#side === 'request' &&
      older.default !== undefined &&
      !isDeepStrictEqual(older.default, newer.default)
    )
      this.#note(path, `default is now ${JSON.stringify(newer.default) ?? 'none'}`);
    const before = resolve(older, this.#roots.before);
    const after = resolve(newer, this.#roots.after);
    if (
      isDeepStrictEqual(before, after) &&
      isDeepStrictEqual(this.#roots.before.$defs, this.#roots.after.$defs)
    )
      return;
    const [forms, newForms] = [formsOf(before), formsOf(after)];
    if (forms.length > 1 || newForms.length > 1) this.#compareForms(forms, newForms, path);
    else this.#compareOne(forms[0] ?? {}, newForms[0] ?? {}, path);
  }

  /** Each form that may be said must find one that takes it. */
  #compareForms(before: Schema[], after: Schema[], path: string): void {
    const [said, taken] = this.#side === 'answer' ? [after, before] : [before, after];
    const lost = said.filter((form) => {
      const fits = (other: Schema) => {
        const [older, newer] = this.#side === 'answer' ? [other, form] : [form, other];
        const trial = new Comparison(
          this.#side,
          { ...older, $defs: this.#roots.before.$defs ?? {} },
          { ...newer, $defs: this.#roots.after.$defs ?? {} },
        );
        return trial.changes.length === 0;
      };
      return !taken.some(fits);
    });
    const named = lost.map((form) => JSON.stringify(form).slice(0, 120));
    for (const form of named)
      this.#note(path, this.#side === 'answer' ? `may now answer ${form}` : `no longer takes ${form}`);
  }

  #compareOne(before: Schema, after: Schema, path: string): void {
    const [from, to] = this.#side === 'answer' ? [after, before] : [before, after];
    const missing =
      to.type === undefined ? [] : [from.type ?? 'anything'].flat().filter((type) => !takesType(to, type));
    if (missing.length > 0) {
      this.#note(
        path,
        `${this.#side === 'answer' ? 'may now answer' : 'no longer takes'} ${missing.join(', ')}`,
      );
      return;
    }
    for (const change of changesOfValues(before, after, this.#side)) this.#note(path, change);
    if (this.#side === 'request')
      for (const change of changesOfBounds(before, after)) this.#note(path, change);
    if (before.items !== undefined && after.items !== undefined)
      this.#compare(before.items, after.items, `${path}[]`);
    this.#compareProperties(before, after, path);
  }

  #compareProperties(before: Schema, after: Schema, path: string): void {
    const [older, newer] = [before.properties ?? {}, after.properties ?? {}];
    for (const [name, schema] of Object.entries(older)) {
      const now = newer[name];
      if (now !== undefined) this.#compare(schema, now, `${path}.${name}`);
      else if (this.#side === 'answer' || (this.#side === 'request' && after.additionalProperties === false))
        this.#note(`${path}.${name}`, 'is gone');
    }
    const [others, newOthers] = [before.additionalProperties, after.additionalProperties];
    if (typeof others === 'object' && typeof newOthers === 'object')
      this.#compare(others, newOthers, `${path}.*`);
    else if (this.#side === 'request' && newOthers === false && others !== false && after.type === 'object')
      this.#note(path, 'no longer takes other fields');
    const wasRequired = new Set(before.required);
    const isRequired = new Set(after.required);
    if (this.#side !== 'answer') {
      for (const name of isRequired)
        if (!wasRequired.has(name)) this.#note(`${path}.${name}`, 'is now required');
    } else {
      const optional = [...wasRequired].filter((name) => newer[name] !== undefined && !isRequired.has(name));
      for (const name of optional) this.#note(`${path}.${name}`, 'may now be missing');
    }
  }

  #note(path: string, change: string): void {
    this.changes.push(`${path} ${change}`);
  }
}

/** Whether values of that type are among what the schema names. */
function takesType({ type }: Schema, wanted: string): boolean {
  const types = new Set([type ?? wanted].flat());
  return types.has(wanted) || (wanted === 'integer' && types.has('number'));
}

function changesOfTerms(before: Contract, after: Contract): string[] {
  const lost = before.access.filter((way) => !after.access.includes(way));
  const others = Object.entries(before.preferred).flatMap(([asked, type]) => {
    const now = after.preferred[asked] ?? after.preferred['default'];
    return now === type ? [] : [`${asked} is now answered with ${now}, no longer ${type}`];
  });
  return [
    ...lost.map((way) => `${way} may no longer ask`),
    ...(after.status === before.status ? [] : [`status is now ${after.status}`]),
    ...before.otherStatuses
      .filter((status) => !after.otherStatuses.includes(status))
      .map((status) => `${status} is no longer answered`),
    ...(after.refusal === before.refusal ? [] : [`refusal is now ${after.refusal}`]),
    ...(after.form === before.form ? [] : [`form is now ${after.form}`]),
    ...others,
  ];
}

function changesOfStored(before: Contract, after: Contract): string[] {
  const [older, newer] = [before, after].map(({ stored, answer }) => (stored === 'answer' ? answer : stored));
  return older && newer ? new Comparison('stored', older, newer).changes : [];
}

/**
 * What a client of the older contracts would stumble over, and what would in results that were stored by them: a presenter,
 * a parent that goes on, a tool of MCP.
 * A new operation, an optional field of a request and a further field of an answer are none.
 */
export function findBreakingChanges(before: Contracts, after: Contracts): string[] {
  return Object.entries(before).flatMap(([id, older]) => {
    const newer = after[id];
    if (newer === undefined) return older.route === null ? [] : [`${id}: is gone`];
    const changes = [
      ...(older.route !== null && older.route !== newer.route ? [`route is now ${String(newer.route)}`] : []),
      ...new Comparison('request', older.request, newer.request).changes,
      ...new Comparison('answer', older.answer, newer.answer).changes,
      ...changesOfStored(older, newer),
      ...changesOfTerms(older, newer),
      ...older.mediaTypes
        .filter((type) => !newer.mediaTypes.includes(type))
        .map((type) => `${type} is no longer answered`),
    ];
    return changes.map((change) => `${id}: ${change}`);
  });
}
