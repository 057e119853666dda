import { hasQueryName, queryNames, type RouteDefinition } from '@idsync/contracts';
import { badRequest } from './api-error.js';

/** Characters of an unknown name in the message, with its escapes. */
const longestName = 60;

/**
 * Throws a 400 for a query parameter that the route does not have: in strict handling for any, otherwise only for `at`,
 * because a response with the present state would be taken for the earlier one.
 */
export function checkQueryParameters(route: RouteDefinition, given: readonly string[], strict: boolean): void {
  const unknown = given.filter((name) => !hasQueryName(route.query, name));
  if (route.method === 'GET' && unknown.includes('at'))
    throw badRequest('at is not supported here, only by GET /v1/identities/{id}');
  const [name] = unknown;
  if (!strict || name === undefined) return;
  const allowed = queryNames(route.query);
  const shown = shortened(JSON.stringify(name));
  const those = allowed.length > 0 ? `allowed are ${allowed.join(', ')}` : 'none is allowed here';
  throw badRequest(`unknown query parameter ${shown}: ${those}`);
}

/** Whether a `Prefer` header (RFC 7240) asks for strict handling. The first `handling` counts. */
export function prefersStrictHandling(prefer: string): boolean {
  const preferences = prefer.split(',').map((preference) => preference.split(';', 1)[0]?.split('=') ?? []);
  const handling = preferences.find(([name]) => name?.trim().toLowerCase() === 'handling');
  const value = handling?.[1]?.trim().toLowerCase();
  return value === 'strict' || value === '"strict"';
}

function shortened(quoted: string): string {
  return quoted.length > longestName ? `${quoted.slice(0, longestName)}…"` : quoted;
}
