import { expect, it } from '@jest/globals';
import { errors } from 'jose';
import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client';
import { asSignInError, SignInError } from './sign-in-error.js';

const refusal = (error: string) =>
  new AuthorizationResponseError('refused', { cause: new URLSearchParams({ error }) } as never);
const response = (status: number) =>
  new ResponseBodyError('failed', {
    cause: { error: 'server_error' },
    response: new Response(null, { status }),
  } as never);
const client = (code: string) => Object.assign(new ClientError('failed'), { code });

it.each([
  ['a person who refused', refusal('access_denied'), 'denied'],
  ['another refusal of the provider', refusal('invalid_scope'), 'invalid_response'],
  ['a refused code', response(400), 'invalid_response'],
  ['a provider that fails', response(503), 'provider_unavailable'],
  ['keys that do not arrive', new errors.JWKSTimeout(), 'provider_unavailable'],
  ['keys that cannot be read', new errors.JOSEError('no keys'), 'provider_unavailable'],
  ['a token for another client', new errors.JWTClaimValidationFailed('aud', {}), 'invalid_response'],
  ['a time-out', client('OAUTH_TIMEOUT'), 'provider_unavailable'],
  ['a wrong nonce', client('OAUTH_JWT_CLAIM_COMPARISON_FAILED'), 'invalid_response'],
  ['a refused connection', new TypeError('fetch failed'), 'provider_unavailable'],
  ['a value that is no error', 'broken', 'provider_unavailable'],
])('classifies %s', (_, error, code) => {
  expect(asSignInError(error)).toMatchObject({ code });
});

it('keeps an error that is classified, and the cause of any other', () => {
  const known = new SignInError('no_role', 'no role');
  expect(asSignInError(known)).toBe(known);
  const cause = new TypeError('fetch failed');
  expect(asSignInError(cause).cause).toBe(cause);
});
