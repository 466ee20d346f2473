import type { Operation } from '../../shared/operation.ts';
import { hasRequestBody } from '../../shared/declared-errors.ts';
import type { JsonSchema, SchemaComponents } from './schemas.ts';

/** Name of an operation's request schema, and the stem of its others: `web.scrape-urls` is `WebScrapeUrls`. */
export function schemaNameOf(operation: Operation): string {
  return operation.id.replaceAll(/(?:^|[.-])(\w)/g, (_all, first: string) => first.toUpperCase());
}

/** A value that a reader can send as it is: the schema's own example, else its parts'. */
export function exampleOf(schema: JsonSchema): unknown {
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.type === 'object') {
    const { then } = schema;
    const unlessOther = typeof then === 'object' ? (then.required ?? []) : [];
    const required = [...(schema.required ?? []), ...unlessOther];
    return Object.fromEntries(required.map((name) => [name, exampleOf(partOf(schema, name))]));
  }
  if (schema.type === 'array' && typeof schema.items === 'object' && !Array.isArray(schema.items)) {
    return [exampleOf(schema.items)];
  }
  return undefined;
}

function partOf(schema: JsonSchema, name: string): JsonSchema {
  const part = schema.properties?.[name];
  return typeof part === 'object' ? part : {};
}

function pathNamesOf(operation: Operation): string[] {
  return [...(operation.route?.path ?? '').matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

function toParameter(input: JsonSchema, name: string, place: 'path' | 'query') {
  const { description, ...schema } = partOf(input, name);
  return {
    name,
    in: place,
    required: place === 'path' || (input.required ?? []).includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  };
}

/** The part of the input that the body carries: all but the path's parameters. */
function bodyOf(input: JsonSchema, inPath: readonly string[]): JsonSchema {
  if (inPath.length === 0) return input;
  const properties = Object.entries(input.properties ?? {}).filter(([name]) => !inPath.includes(name));
  const required = (input.required ?? []).filter((name) => !inPath.includes(name));
  return { ...input, properties: Object.fromEntries(properties), required };
}

const reference = (name: string) => ({ $ref: `#/components/parameters/${name}` });

function headersOf(operation: Operation) {
  const names = ['RequestId'];
  if (operation.runs === 'queue' || operation.waits) names.push('Prefer');
  if (operation.runs === 'queue' && operation.route?.method === 'POST') names.push('IdempotencyKey');
  if (operation.runs === 'queue') names.push('WebhookUrl');
  return names.map(reference);
}

/** `parameters` and `requestBody` of an operation, from its input. */
export function describeRequest(operation: Operation, components: SchemaComponents) {
  const input = components.toSchema(operation.input, 'input');
  const inPath = pathNamesOf(operation);
  const path = inPath.map((name) => toParameter(input, name, 'path'));
  if (!hasRequestBody(operation)) {
    const inQuery = Object.keys(input.properties ?? {}).filter((name) => !inPath.includes(name));
    const query = inQuery.map((name) => toParameter(input, name, 'query'));
    return { parameters: [...path, ...query, ...headersOf(operation)] };
  }
  const body = bodyOf(input, inPath);
  // An inline call that says all by its path takes an empty object or no body.
  const required = operation.runs === 'queue' || (body.required ?? []).length > 0;
  const schema = components.add(`${schemaNameOf(operation)}Request`, body);
  return {
    parameters: [...path, ...headersOf(operation)],
    requestBody: { required, content: { 'application/json': { schema, example: exampleOf(body) } } },
  };
}
