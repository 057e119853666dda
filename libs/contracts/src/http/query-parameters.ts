import { z } from 'zod';
import { attributeFieldPattern, attributePrefix } from '../records.js';

/** A query parameter as OpenAPI describes it. */
export interface QueryParameter {
  name: string;
  description: string;
  schema: Record<string, unknown>;
  /** Each property of the value is a separate parameter, named with a prefix. */
  style?: 'form';
  explode?: true;
}

/** The meaning of the text that a schema parses, such as `{ type: 'integer' }`. */
export const parsedText = z.registry<Record<string, unknown>>();

/** Returns the parameters of a query, from the schema that validates it. */
export function queryParameters(query: z.ZodType): QueryParameter[] {
  return Object.entries(shapeOf(query)).map(([name, field]) => {
    const {
      $schema: _,
      default: __,
      description,
      ...shown
    } = z.toJSONSchema(field, {
      io: 'input',
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        const parsed = parsedText.get(zodSchema);
        if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
        if (!parsed) return;
        for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
        Object.assign(jsonSchema, parsed);
      },
    });
    if (description === undefined) throw new Error(`the query parameter ${name} has no description`);
    // zod omits the default of a schema that transforms the text.
    const preset = field.safeParse(undefined).data;
    const schema = { ...shown, ...(preset !== undefined && { default: preset }) };
    return { name, description, schema, ...(isExploded(field) && { style: 'form', explode: true }) };
  });
}

/** Returns the names of the parameters of a query, as messages show them. */
export function queryNames(query: z.ZodType | undefined): string[] {
  return Object.entries(query ? shapeOf(query) : {}).map(([name, field]) =>
    isExploded(field) ? `${attributePrefix}<name>` : name,
  );
}

/** Returns whether a query has a parameter of this name. */
export function hasQueryName(query: z.ZodType | undefined, given: string): boolean {
  return Object.entries(query ? shapeOf(query) : {}).some(([name, field]) =>
    isExploded(field) ? attributeFieldPattern.test(given) : name === given,
  );
}

function shapeOf(query: z.ZodType): Record<string, z.ZodType> {
  if (query instanceof z.ZodPipe) return shapeOf(query.out as z.ZodType);
  return (query as z.ZodObject).shape as Record<string, z.ZodType>;
}

/** Custom attributes are an object of the query, and a parameter for each of them in the address. */
function isExploded(field: z.ZodType): boolean {
  return field instanceof z.ZodOptional && field.unwrap() instanceof z.ZodRecord;
}
