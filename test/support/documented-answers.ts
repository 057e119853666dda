import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export interface Operation {
  parameters?: { name: string; in: string; schema: object }[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}

export interface Documented {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
}

export const openApi: Documented = JSON.parse(
  readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'),
) as Documented;
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
addFormats.default(ajv);
ajv.addKeyword('components');
const compiled = new WeakMap<object, ValidateFunction>();

/** Returns a validator for a schema of openapi.json. */
export function validatorOf(schema: object): ValidateFunction {
  const known = compiled.get(schema);
  if (known) return known;
  const validate = ajv.compile({ ...schema, components: openApi.components });
  compiled.set(schema, validate);
  return validate;
}
