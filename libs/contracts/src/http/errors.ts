/** The two texts the interface specification gives, and the ones we use beside them. */
export const errorTexts = {
  unauthorized: 'missing or invalid API key',
  callbackUrlRequired: 'callback_url is required',
  operatorUnauthorized: 'missing or invalid operator token',
  notFound: 'not found',
  internal: 'internal server error',
} as const;

/** What an API key may be allowed; a key has all of them unless it was issued with fewer. */
export const scopes = [
  'identities:read',
  'users:read',
  'sync:read',
  'sync:write',
  'webhooks:read',
  'webhooks:write',
  'events:read',
] as const;
export type Scope = (typeof scopes)[number];
