/** How an operator signed in. */
export function methodOf(kind: string): string {
  return { oidc: 'the identity provider', service_token: 'a service token' }[kind] ?? 'the operator token';
}

/** Scopes as one short text. */
export function scopesOf(given: readonly string[], all: number): string {
  return given.length === all ? 'All' : given.join(', ');
}

/** The end of a day that a date field names; undefined without one. */
export function endOfDay(date: string): string | undefined {
  return date === '' ? undefined : new Date(`${date}T23:59:59`).toISOString();
}
