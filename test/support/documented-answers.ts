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
  components: { schemas: Record<string, object>; responses: Record<string, Operation['responses'][string]> };
}

export const openApi: Documented = JSON.parse(
  readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'),
) as Documented;
// Error responses are references to those that operations share.
for (const { responses } of Object.values(openApi.paths).flatMap((methods) => Object.values(methods))) {
  for (const [status, response] of Object.entries(responses)) {
    const name = (response as { $ref?: string }).$ref?.split('/').at(-1) ?? '';
    responses[status] = openApi.components.responses[name] ?? response;
  }
}
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
addFormats.default(ajv);
for (const keyword of ['components', 'discriminator']) ajv.addKeyword(keyword);
const compiled = new WeakMap<object, ValidateFunction>();

/** Returns a validator for a schema of openapi.json. */
export function validatorOf(schema: object): ValidateFunction {
  const known = compiled.get(schema);
  if (known) return known;
  const validate = ajv.compile({ ...schema, components: openApi.components });
  compiled.set(schema, validate);
  return validate;
}
