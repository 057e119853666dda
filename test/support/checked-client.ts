import { readFileSync } from 'node:fs';
import { errorTexts, resources, routes } from '@idsync/contracts';
import { expect } from '@jest/globals';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Answer, Client } from './client.js';

const document = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
addFormats.default(ajv);
ajv.addKeyword('components');
const compiled = new Map<string, ValidateFunction>();

/** Calls the public API, and holds every answer to the strict schemas, to openapi.json and to what goes for all answers. */
export class CheckedClient {
  constructor(private readonly client: Client) {}

  /** `path` as in the specification, `/v1/users/{id}`; `id` is put into it, `query` behind it. */
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
  expectNoNulls(body);
  if (status === 401) expect(body).toEqual({ error: errorTexts.unauthorized });
}

/** What openapi.json says of this answer; an answer it does not know is an error. */
function documented(method: string, path: string, status: number): ValidateFunction {
  const name = `${method} ${path} ${status}`;
  const known = compiled.get(name);
  if (known) return known;
  const response = document.paths[path]?.[method.toLowerCase()]?.responses[status];
  if (!response) throw new Error(`openapi.json knows no ${name}`);
  const schema = response.content['application/json'].schema;
  const validate = ajv.compile({ ...schema, components: document.components });
  compiled.set(name, validate);
  return validate;
}

function expectNoNulls(value: unknown): void {
  expect(value).not.toBeNull();
  if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) expectNoNulls(item);
}
