import { call } from '../api/client.ts';

/** The parts of JSON Schema that the contracts are described in. */
export interface Schema {
  type?: string | string[];
  description?: string;
  default?: unknown;
  examples?: unknown[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  then?: { required?: string[] };
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  $ref?: string;
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
}

interface OperationObject {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security?: Record<string, unknown>[];
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { content: Record<string, { schema: Schema; example?: Record<string, unknown> }> };
  responses: Record<string, { content?: Record<string, unknown> }>;
}

interface OpenApiDocument {
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, Schema> };
}

/** One thing that a request can carry. */
export interface RequestField {
  name: string;
  in: 'path' | 'query' | 'body';
  required: boolean;
  description: string | undefined;
  schema: Schema;
  example: unknown;
}

export interface PlaygroundOperation {
  id: string;
  area: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  fields: readonly RequestField[];
  /** It takes a body, be it an empty one. */
  hasBody: boolean;
  /** Media type that it is asked for: JSON wherever that is answered. */
  accept: string;
  /** Takes an API key; the others take the session. */
  takesKey: boolean;
}

/** A schema that stands elsewhere, as it is there; `null` beside one other type is left out. */
function resolve(schema: Schema, components: Record<string, Schema>, depth = 0): Schema {
  const { $ref, anyOf, ...own } = schema;
  const target = components[$ref?.split('/').at(-1) ?? ''];
  // A schema may refer to itself.
  if (target !== undefined && depth < 8) return resolve({ ...target, ...own }, components, depth + 1);
  const [only, ...others] = anyOf?.filter(({ type }) => type !== 'null') ?? [];
  if (only !== undefined && others.length === 0) return resolve({ ...only, ...own }, components, depth + 1);
  return schema;
}

function readFields(operation: OperationObject, components: Record<string, Schema>): RequestField[] {
  const parameters = (operation.parameters ?? []).flatMap((parameter): RequestField[] => {
    if ('$ref' in parameter || (parameter.in !== 'path' && parameter.in !== 'query')) return [];
    const schema = resolve(parameter.schema, components);
    return [
      {
        name: parameter.name,
        in: parameter.in,
        required: parameter.required === true,
        description: parameter.description ?? schema.description,
        schema,
        example: parameter.example ?? schema.examples?.[0],
      },
    ];
  });
  const json = operation.requestBody?.content['application/json'];
  if (json === undefined) return parameters;
  const body = resolve(json.schema, components);
  // What has to be there unless another field is, as the URL of a page, comes first too.
  const required = new Set([...(body.required ?? []), ...(body.then?.required ?? [])]);
  const fields = Object.entries(body.properties ?? {}).map(([name, property]): RequestField => {
    const schema = resolve(property, components);
    return {
      name,
      in: 'body',
      required: required.has(name),
      description: schema.description,
      schema,
      example: json.example?.[name] ?? schema.examples?.[0],
    };
  });
  return [...parameters, ...fields];
}

function acceptOf({ responses }: OperationObject): string {
  const types = Object.keys(responses['200']?.content ?? {});
  const [first = 'application/json'] = types;
  return types.includes('application/json') ? 'application/json' : first;
}

const methods = new Set(['get', 'post', 'put', 'patch', 'delete']);

/** All operations of the document that a request can be made for, by area. */
function readOperations(document: OpenApiDocument): PlaygroundOperation[] {
  const { schemas } = document.components;
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => methods.has(method))
      .map(([method, operation]) => ({
        id: operation.operationId,
        area: operation.tags[0] ?? '',
        method: method.toUpperCase(),
        path,
        summary: operation.summary,
        description: operation.description ?? '',
        fields: readFields(operation, schemas),
        hasBody: operation.requestBody !== undefined,
        accept: acceptOf(operation),
        takesKey: operation.security?.some((way) => 'ApiKey' in way) === true,
      })),
  );
}

let loading: Promise<PlaygroundOperation[]> | undefined;

/** Asked for once. */
export async function loadOperations(): Promise<PlaygroundOperation[]> {
  loading ??= call<OpenApiDocument>('/openapi.json').then(readOperations);
  return await loading.catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
}
