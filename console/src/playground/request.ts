import type { PlaygroundOperation, RequestField, Schema } from './document.ts';

/** What was typed, by field; a field that is empty is not sent. */
export type Values = Readonly<Record<string, string>>;

export const fieldKey = (field: Pick<RequestField, 'in' | 'name'>): string => `${field.in}:${field.name}`;

/** How a field is typed in. `json`: what has parts of its own. */
export type Control = 'text' | 'number' | 'switch' | 'choice' | 'lines' | 'json';

const typesOf = ({ type }: Schema): string[] =>
  type === undefined ? [] : [type].flat().filter((name) => name !== 'null');

export function controlOf(schema: Schema): Control {
  if (schema.enum !== undefined) return 'choice';
  const [type, ...others] = typesOf(schema);
  if (type === undefined || others.length > 0) return 'json';
  if (type === 'boolean') return 'switch';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string') return 'text';
  if (type === 'array' && typesOf(schema.items ?? {})[0] === 'string') return 'lines';
  return 'json';
}

/** A value as it is typed. */
export function toText(value: unknown, schema: Schema): string {
  if (value === undefined || value === null) return '';
  if (controlOf(schema) === 'lines' && Array.isArray(value)) return value.join('\n');
  return typeof value === 'object' || controlOf(schema) === 'json' ? JSON.stringify(value) : String(value);
}

/** What was typed as a value. A text that is no JSON where JSON is wanted goes as it is: the service says what is wrong. */
function toValue(text: string, schema: Schema): unknown {
  switch (controlOf(schema)) {
    case 'number':
      return Number(text);
    case 'switch':
      return text === 'true';
    case 'lines':
      return text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
    case 'json':
      try {
        return JSON.parse(text) as unknown;
      } catch {
        return text;
      }
    default:
      return text;
  }
}

/** What the form shows at first: the examples of what must be given. */
export function firstValues(operation: PlaygroundOperation): Values {
  return Object.fromEntries(
    operation.fields
      .filter((field) => field.required)
      .map((field) => [fieldKey(field), toText(field.example, field.schema)]),
  );
}

export interface PlaygroundRequest {
  method: string;
  /** Path and query. */
  path: string;
  body: Record<string, unknown> | null;
  /** Media type of the answer. */
  accept: string;
}

export function buildRequest(operation: PlaygroundOperation, values: Values): PlaygroundRequest {
  let { path } = operation;
  const query = new URLSearchParams();
  const body: Record<string, unknown> = {};
  for (const field of operation.fields) {
    const text = values[fieldKey(field)] ?? '';
    if (field.in === 'path')
      path = path.replace(`{${field.name}}`, encodeURIComponent(text === '' ? '-' : text));
    else if (text === '') continue;
    else if (field.in === 'query') query.set(field.name, text);
    else body[field.name] = toValue(text, field.schema);
  }
  const search = query.size === 0 ? '' : `?${query.toString()}`;
  const { method, accept, hasBody } = operation;
  return { method, path: path + search, body: hasBody ? body : null, accept };
}
