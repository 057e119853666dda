import { routes } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { ApiError } from './api-error.js';
import { checkQueryParameters, prefersStrictHandling } from './query-parameters.js';

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
