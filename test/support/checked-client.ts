import { errorTexts, resources, routes } from '@idsync/contracts';
import { expect } from '@jest/globals';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { Answer, Client } from './client.js';
import { openApi, validatorOf } from './documented-answers.js';

/**
 * Calls the public API and checks every answer against the strict schemas, openapi.json and the rules for all answers.
 */
export class CheckedClient {
  constructor(private readonly client: Client) {}

  /** `path` as in the specification, `/v1/users/{id}`, with `id` inserted and `query` appended. */
  async call(
    method: string,
    path: string,
    status: number,
    { id = '', query = '', body }: { id?: string; query?: string; body?: unknown } = {},
  ): Promise<Answer> {
    const answer = await this.client.call(method, path.replace('{id}', encodeURIComponent(id)) + query, body);
    expect({ method, path, query, status: answer.status, error: answer.body?.error }).toEqual({
      method,
      path,
      query,
      status,
      error: status >= 400 ? expect.any(String) : undefined,
    });
    checkAnswer(method, path, answer);
    return answer;
  }

  get(path: string, options: { id?: string; query?: string } = {}): Promise<Answer> {
    return this.call('GET', path, 200, options);
  }
}

function checkAnswer(method: string, path: string, answer: Answer): void {
  const { status, headers, body } = answer;
  const route = routes.find((each) => each.method === method && each.path === path);
  if (!route) throw new Error(`no route ${method} ${path}`);
  if (status === 204) {
    expect(body).toBeUndefined();
    return;
  }
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-store');
  const schema = status < 400 ? route.success.schema : resources.errorBody;
  expect(schema?.safeParse(body).error?.issues).toBeUndefined();
  expect(documented(method, path, status)(body)).toBe(true);
  // One expectation: one for each value took half of the CPU of a walk.
  expect(hasNull(body)).toBe(false);
  if (status === 401) expect(body).toEqual({ error: errorTexts.unauthorized });
}

/** Returns the validator of this answer in openapi.json; an undocumented answer is an error. */
function documented(method: string, path: string, status: number): ValidateFunction {
  const schema = openApi.paths[path]?.[method.toLowerCase()]?.responses[status]?.content?.['application/json']?.schema;
  if (!schema) throw new Error(`openapi.json does not document ${method} ${path} ${status}`);
  return validatorOf(schema);
}

function hasNull(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.values(value).some(hasNull));
}
