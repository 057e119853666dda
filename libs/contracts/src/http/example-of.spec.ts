import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openApiDocument } from './openapi.js';

interface Operation {
  operationId: string;
  requestBody?: { content: Record<string, { schema: object; example?: unknown }> };
}

const { paths, components } = openApiDocument('0.1.0') as {
  paths: Record<string, Record<string, Operation>>;
  components: object;
};
const bodies = Object.values(paths)
  .flatMap((methods) => Object.values(methods))
  .flatMap(({ operationId, requestBody }) =>
    Object.values(requestBody?.content ?? {}).map((content) => ({ operationId, ...content })),
  );

describe('the example of a request body', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);

  it.each(bodies)('of $operationId is valid', ({ schema, example }) => {
    const validate = ajv.compile({ ...schema, components });
    expect({ example, isValid: validate(example), errors: validate.errors }).toEqual({
      ...{ example, isValid: true, errors: null },
    });
  });
});
