import addFormatsExport from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

export type Schema = Record<string, unknown> & {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
};

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: Schema;
}

interface Content {
  [mediaType: string]: { schema?: Schema; example?: unknown };
}

export interface DocumentedOperation {
  operationId: string;
  summary?: string;
  description?: string;
  security: Record<string, string[]>[];
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<
    string,
    { description: string; headers: Record<string, { $ref: string }>; content?: Content }
  >;
}

export interface ApiDocument {
  openapi: string;
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: {
    schemas: Record<string, Schema>;
    headers: Record<string, { required: boolean }>;
    parameters: Record<string, Parameter>;
  };
}

/** An answer as it came. */
export interface SeenAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** Headers of the transport; OpenAPI tells the type of a body in its own place. Every other one has to be told of. */
const untoldHeaders = /^(date|connection|keep-alive|transfer-encoding|content-length|content-type)$/;

/** A copy in which every object schema refuses fields that it does not name. */
function closeObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closeObjects);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, closeObjects(part)]));
  const isOpenObject = copy['type'] === 'object' && 'properties' in copy && !('additionalProperties' in copy);
  return isOpenObject ? { ...copy, additionalProperties: false } : copy;
}

const pointer = (...parts: string[]) =>
  `quarry#/${parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;

export type DocumentCheck = ReturnType<typeof createDocumentCheck>;

/** Checks requests and answers against an OpenAPI document, and nothing else. */
export function createDocumentCheck(document: ApiDocument) {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  addFormatsExport.default(ajv);
  ajv.addSchema(closeObjects(document) as object, 'quarry');
  const compiled = new Map<string, ValidateFunction>();

  function flawsOf(reference: string, value: unknown): string[] {
    const validate = compiled.get(reference) ?? ajv.compile({ $ref: reference });
    compiled.set(reference, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  }

  function headerFlaws(answer: SeenAnswer, told: Record<string, { $ref: string }>): string[] {
    const missing = Object.entries(told)
      .filter(([, { $ref }]) => document.components.headers[$ref.split('/').at(-1) ?? '']?.required)
      .filter(([name]) => answer.headers[name.toLowerCase()] === undefined)
      .map(([name]) => `the header ${name} is missing`);
    const names = new Set(Object.keys(told).map((name) => name.toLowerCase()));
    const untold = Object.keys(answer.headers)
      .filter((name) => !untoldHeaders.test(name) && !names.has(name))
      .map((name) => `the header ${name} is not documented`);
    return [...missing, ...untold];
  }

  /** What of an answer is not as documented. A method that the path does not have is judged as any of it. */
  function answerFlaws(path: string, method: string, answer: SeenAnswer): string[] {
    const ofPath = document.paths[path] ?? {};
    const key = method.toLowerCase() in ofPath ? method.toLowerCase() : (Object.keys(ofPath)[0] ?? '');
    const response = ofPath[key]?.responses[String(answer.status)];
    if (response === undefined) return [`${answer.status} is not documented`];
    const flaws = headerFlaws(answer, response.headers);
    const type = (answer.headers['content-type'] ?? '').split(';')[0] ?? '';
    if (answer.body.length === 0 && response.content === undefined) return flaws;
    if (response.content?.[type] === undefined) return [...flaws, `the type "${type}" is not documented`];
    if (!type.endsWith('json')) return flaws;
    const schema = pointer('paths', path, key, 'responses', String(answer.status), 'content', type, 'schema');
    return [...flaws, ...flawsOf(schema, JSON.parse(answer.body.toString()))];
  }

  /** The documented path that a request goes to: a literal one before one with parameters, as routers do. */
  function findPath(method: string, target: string): string | undefined {
    const [asked = ''] = target.split('?');
    const fitting = Object.keys(document.paths)
      .filter((path) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`).test(asked))
      .sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')));
    return fitting.find((path) => method.toLowerCase() in (document.paths[path] ?? {})) ?? fitting[0];
  }

  return {
    answerFlaws,
    findPath,
    /** What of an ended job's result is not as its operation's answer is documented. */
    resultFlaws(operationId: string, result: unknown): string[] {
      const found = Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.entries(methods).flatMap(([method, operation]) =>
          operation.operationId === operationId ? [[path, method] as const] : [],
        ),
      );
      const [path, method] = found[0] ?? ['', ''];
      const schema = ['responses', '200', 'content', 'application/json', 'schema', 'properties', 'data'];
      return flawsOf(pointer('paths', path, method, ...schema), result);
    },
    /** What of a request's JSON body is not as documented. */
    bodyFlaws: (path: string, method: string, body: unknown) =>
      flawsOf(
        pointer('paths', path, method.toLowerCase(), 'requestBody', 'content', 'application/json', 'schema'),
        body,
      ),
  };
}
