import { requests, routes } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { ApiError } from './api-error.js';
import { exceededBound, type JsonBounds } from './json-bounds.js';
import { checkQueryParameters, prefersStrictHandling } from './query-parameters.js';
import { validate } from './validate.js';

describe('bounds of JSON', () => {
  const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
  const none: JsonBounds = { depth: 1_000, values: 1_000_000, names: 1_000_000 };
  const exceeds = (value: unknown, most: Partial<JsonBounds>) => exceededBound(bytes(value), { ...none, ...most });

  const partsOf = (value: unknown): unknown[] =>
    typeof value === 'object' && value !== null ? Object.values(value) : [];
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...partsOf(value).map(depthOf)) : 0;
  const namesOf = (value: unknown): number =>
    (typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value).length : 0) +
    partsOf(value).reduce<number>((sum, part) => sum + namesOf(part), 0);
  /** Counts the elements of containers; an empty container counts as one value. */
  const valuesOf = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? Math.max(1, partsOf(value).length) + partsOf(value).reduce<number>((sum, part) => sum + valuesOf(part), 0)
      : 0;

  it('count depth, values and names, regardless of the contents of strings', () => {
    const texts = fc.stringMatching(/^[[\]{}"\\:,a]*$/);
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof({ maxDepth: 6 }, texts, fc.array(tie('json')), fc.dictionary(texts, tie('json'))),
    }));
    fc.assert(
      fc.property(json, fc.nat(12), (value, most) => {
        expect(exceeds(value, { depth: most }) === 'depth').toBe(depthOf(value) > most);
        expect(exceeds(value, { names: most }) === 'names').toBe(namesOf(value) > most);
        expect(exceeds(value, { values: most }) === 'values').toBe(valuesOf(value) > most);
      }),
    );
  });

  it('do not count names that every member of a group repeats', () => {
    const members = Array.from({ length: 100 }, () => ({ value: 'a', $ref: 'b', display: 'c', type: 'User' }));
    expect(exceeds({ members }, { names: 1 })).toBeUndefined();
    expect(exceeds({ members: [...members, { VALUE: 1 }] }, { names: 1 })).toBe('names');
  });

  it('accept text that is not JSON, which the parser rejects', () => {
    for (const text of ['', '"', '"\\', ']]]', '[[[', '{"a":[', ':::'])
      expect(exceededBound(Buffer.from(text), none)).toBeUndefined();
  });
});

const route = (method: string, path: string) => {
  const found = routes.find((one) => one.method === method && one.path === path);
  if (!found) throw new Error(`no route ${method} ${path}`);
  return found;
};

function refusal(method: string, path: string, given: string[], strict = false): string | undefined {
  try {
    checkQueryParameters(route(method, path), given, strict);
    return undefined;
  } catch (error) {
    return error instanceof ApiError ? `${error.status} ${error.message}` : String(error);
  }
}

const atRefused = '400 at is not supported here, only by GET /v1/identities/{id}';

describe('query parameters', () => {
  it('with at are accepted only by GET /v1/identities/{id}', () => {
    expect(refusal('GET', '/v1/identities/{id}', ['at'])).toBeUndefined();
    for (const path of ['/v1/identities', '/v1/users', '/v1/users/{id}', '/v1/identities/{id}/history']) {
      expect(refusal('GET', path, ['limit', 'at'])).toBe(atRefused);
      expect(refusal('GET', path, ['other', 'at'], true)).toBe(atRefused);
    }
  });

  it('that are unknown are ignored', () => {
    expect(refusal('GET', '/v1/identities', ['limit', 'later'])).toBeUndefined();
    expect(refusal('POST', '/v1/webhooks', ['at', 'later'])).toBeUndefined();
  });

  it('that are unknown are rejected in strict handling, with the name and the allowed ones', () => {
    expect(refusal('GET', '/v1/identities', ['limit', 'stauts', 'x'], true)).toBe(
      '400 unknown query parameter "stauts": allowed are limit, offset, status, updated_since, cursor, q, email, employee_number, user_principal_name, external_id, connector_id, department, attributes.<name>, manager_id, source, group',
    );
    expect(refusal('POST', '/v1/webhooks', ['at'], true)).toBe(
      '400 unknown query parameter "at": none is allowed here',
    );
    expect(refusal('GET', '/v1/identities', ['limit', 'offset', 'status', 'updated_since', 'cursor'], true)).toBe(
      undefined,
    );
  });

  it('that are unknown are named in at most 62 characters without control characters', () => {
    expect(refusal('GET', '/v1/webhooks', [`\0${'x'.repeat(5_000)}`], true)).toBe(
      `400 unknown query parameter "\\u0000${'x'.repeat(53)}…": none is allowed here`,
    );
  });
});

describe('the Prefer header', () => {
  it.each([
    ['handling=strict', true],
    ['Handling = "Strict"', true],
    ['respond-async, wait=10, handling=strict; why=test', true],
    ['handling=lenient', false],
    ['handling=lenient, handling=strict', false],
    ['handling', false],
    ['return=minimal', false],
    ['other="a, handling=strict"', false],
    ['', false],
  ])('%j asks for strict handling: %s', (prefer, strict) => {
    expect(prefersStrictHandling(prefer)).toBe(strict);
  });
});

describe('validate', () => {
  const schema = z.strictObject({
    name: z.string().min(1),
    deep: z.object({ list: z.array(z.object({ size: z.int() })) }).optional(),
  });

  function refusal(run: () => unknown): { status: number; message: string } {
    try {
      run();
    } catch (error) {
      if (error instanceof ApiError) return { status: error.status, message: error.message };
      throw error;
    }
    throw new Error('the input was accepted');
  }

  it('returns the output of the schema', () => {
    expect(validate(requests.pageQuery, { limit: '1000' })).toEqual({ limit: 200, offset: 0 });
  });

  it.each([undefined, null, {}])('treats %p as an object without fields', (input) => {
    expect(refusal(() => validate(schema, input))).toEqual({ status: 400, message: 'name is required' });
    expect(refusal(() => validate(requests.webhookBody, input)).message).toBe('callback_url is required');
  });

  it.each([[[]], ['text'], [5], [true]])('rejects %p, which is not an object', (input) => {
    expect(refusal(() => validate(schema, input)).message).toBe('the body must be a JSON object');
  });

  it('names the path of an invalid field, and says "is required" only for an absent one', () => {
    expect(refusal(() => validate(schema, { name: 'x', deep: { list: [{}] } })).message).toBe(
      'deep.list.0.size is required',
    );
    expect(refusal(() => validate(schema, { name: null })).message).toMatch(/^name: invalid input/);
    expect(refusal(() => validate(schema, { name: 'x', deep: { list: [{ size: 'y' }] } })).message).toMatch(
      /^deep\.list\.0\.size: /,
    );
  });

  it('names unknown fields', () => {
    expect(refusal(() => validate(schema, { name: 'x', colour: 1, size: 2 })).message).toBe(
      'unknown field colour, size',
    );
  });

  it('ignores fields of a prototype in the input', () => {
    const sent: unknown = JSON.parse('{"__proto__": {"name": "x"}}');
    expect(refusal(() => validate(z.object({ name: z.string() }), sent)).message).toBe('name is required');
  });
});
