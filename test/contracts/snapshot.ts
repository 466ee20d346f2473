import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { loadCatalog } from '../../src/shared/catalog.ts';
import { jsonType, type Operation } from '../../src/shared/operation.ts';
import type { Contract, Contracts, Schema } from './breaking-changes.ts';

export const snapshotFile = join(import.meta.dirname, 'snapshot.json');

const texts = ['description', 'examples', 'title', '$schema', 'id'];
const left = {
  input: new Set(texts),
  /** What is always there has no default. */
  output: new Set([...texts, 'default']),
};
const values = new Set(['enum', 'const', 'required', 'default']);

/** Subschemas under the names of properties are kept, whatever they are named. */
function withoutTexts(value: unknown, io: 'input' | 'output', areNames = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutTexts(item, io));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => areNames || !left[io].has(name));
  return Object.fromEntries(
    kept.map(([name, part]) => [
      name,
      !areNames && values.has(name)
        ? part
        : withoutTexts(part, io, !areNames && (name === 'properties' || name === '$defs')),
    ]),
  );
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Schema {
  return withoutTexts(z.toJSONSchema(schema, { io, target: 'draft-2020-12' }), io) as Schema;
}

/** By each value of a field that names its values, the other fields having their defaults. */
function preferredOf(operation: Operation, { properties = {} }: Schema): Contract['preferred'] {
  if (operation.runs === 'api' || operation.preferredType === undefined) return { default: jsonType };
  const { preferredType } = operation;
  const fields = Object.entries(properties);
  const defaults = Object.fromEntries(fields.map(([name, field]) => [name, field.default]));
  const named = fields.flatMap(([name, field]) =>
    (field.enum ?? []).map((value) => [
      `${name}=${String(value)}`,
      preferredType({ ...defaults, [name]: value }),
    ]),
  );
  return Object.fromEntries([['default', preferredType(defaults)], ...named]);
}

function storedOf(operation: Operation): Contract['stored'] {
  if (operation.runs === 'api') return null;
  return operation.presented ? schemaOf(operation.output, 'output') : 'answer';
}

/** Of a queued operation. */
const queued = {
  access: ['key'],
  status: 200,
  otherStatuses: [],
  answer: 'envelope',
  refusal: 'problem',
} as const;

function contractOf(operation: Operation): Contract {
  const { route, input, errors, representations } = operation;
  const {
    access,
    status,
    otherStatuses,
    answer: form,
    refusal,
  } = operation.runs === 'api' ? operation : queued;
  const request = schemaOf(input, 'input');
  return {
    route: route && `${route.method} ${route.path}`,
    access: access.toSorted(),
    request,
    answer: schemaOf(operation.runs === 'queue' ? operation.data : operation.output, 'output'),
    stored: storedOf(operation),
    status,
    otherStatuses: otherStatuses.toSorted(),
    form,
    refusal,
    mediaTypes: Object.keys(representations).toSorted(),
    preferred: preferredOf(operation, request),
    errors: errors.toSorted(),
  };
}

/** Of the code as it is. */
export async function readContracts(): Promise<Contracts> {
  const { operations } = await loadCatalog();
  const sorted = operations.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return Object.fromEntries(sorted.map((operation) => [operation.id, contractOf(operation)]));
}

/** Of the last version that was recorded. */
export async function readSnapshot(): Promise<Contracts> {
  return JSON.parse(await readFile(snapshotFile, 'utf8')) as Contracts;
}
