import { errors } from 'jose';
import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client';

/** Why a sign-in with the identity provider failed. Stable: the console shows a text for each. */
export type SignInErrorCode = 'denied' | 'expired' | 'invalid_response' | 'no_role' | 'provider_unavailable';

/** A sign-in that failed. The message is for the log. */
export class SignInError extends Error {
  override readonly name = 'SignInError';

  constructor(
    readonly code: SignInErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Classifies an error of the libraries: the provider refused, cannot be reached, or answered what is not acceptable. */
export function asSignInError(error: unknown): SignInError {
  if (error instanceof SignInError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new SignInError(codeOf(error), message, { cause: error });
}

function codeOf(error: unknown): SignInErrorCode {
  if (error instanceof AuthorizationResponseError)
    return error.error === 'access_denied' ? 'denied' : 'invalid_response';
  if (error instanceof ResponseBodyError) return error.status >= 500 ? 'provider_unavailable' : 'invalid_response';
  if (error instanceof errors.JWKSTimeout) return 'provider_unavailable';
  if (error instanceof errors.JOSEError)
    return error.code === 'ERR_JOSE_GENERIC' ? 'provider_unavailable' : 'invalid_response';
  if (error instanceof ClientError)
    return unreachable.has(error.code ?? '') ? 'provider_unavailable' : 'invalid_response';
  // The built-in fetch rejects with a TypeError, and an abort with a DOMException.
  return 'provider_unavailable';
}

/** Codes of openid-client for a timeout, and for a response that is no JSON or has another status. */
const unreachable = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_PARSE_ERROR',
  'OAUTH_RESPONSE_IS_NOT_JSON',
]);
