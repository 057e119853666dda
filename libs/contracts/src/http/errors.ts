/** Fixed error texts. The interface specification defines the first two. */
export const errorTexts = {
  unauthorized: 'missing or invalid API key',
  callbackUrlRequired: 'callback_url is required',
  otherOrigin: 'the request comes from a page of another origin',
  csrfToken: 'a request with the cookie of a session needs its csrf_token in X-CSRF-Token',
  operatorUnauthorized: 'missing or invalid operator token',
  providerUnavailable: 'the identity provider is not available: try again later',
  suspended: 'the tenant is suspended',
  notFound: 'not found',
  internal: 'internal server error',
  unavailable: 'the database is not available: try again later',
  busy: 'too many requests wait for the database: try again later',
  tooSlow: 'the request took longer than 30 s and was stopped: request less at once',
  tooManyUnknownKeys: 'too many requests with unknown keys from this address',
} as const;
