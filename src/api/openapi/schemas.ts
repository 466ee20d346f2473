import { z } from 'zod';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The schemas that others refer to, under `#/components/schemas`. */
export interface SchemaComponents {
  readonly all: Readonly<Record<string, JsonSchema>>;
  /** The schema with all that it refers to in the components. */
  toSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema;
  /** As `toSchema`, itself in the components too; the name of its own that a schema may have goes first. */
  toReference(schema: z.ZodType, io: 'input' | 'output', name: string): JsonSchema;
  /** Names a finished schema. @returns the reference to it */
  add(name: string, schema: JsonSchema): JsonSchema;
}

const root = '#/components/schemas/';

/** zod bounds every integer by what a double can hold: noise for a reader. */
function dropSafeBounds(schema: JsonSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    override({ jsonSchema }) {
      dropSafeBounds(jsonSchema);
      // Answers may gain fields in later versions; a generated client must not refuse them.
      if (io === 'output' && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties;
    },
  });
  return JSON.parse(JSON.stringify(json).replaceAll('"#/$defs/', `"${root}`)) as JsonSchema;
}

export function createSchemaComponents(): SchemaComponents {
  const all: Record<string, JsonSchema> = {};

  function add(name: string, schema: JsonSchema): JsonSchema {
    const other = all[name];
    if (other !== undefined && JSON.stringify(other) !== JSON.stringify(schema)) {
      throw new Error(`Two schemas of the API reference are named ${name}. Give one another name.`);
    }
    all[name] = schema;
    return { $ref: root + name };
  }

  function toSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const { $defs = {}, ...json } = toJsonSchema(schema, io);
    for (const [name, part] of Object.entries($defs)) add(name, part);
    return json;
  }

  return {
    all,
    toSchema,
    toReference(schema, io, name) {
      const json = toSchema(schema, io);
      return json.$ref === undefined ? add(name, json) : json;
    },
    add,
  };
}
