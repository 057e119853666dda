import type { Tone } from '../../components/status';

interface Issued {
  expires_at?: string;
  revoked_at?: string;
}

/** Whether a key or token can be used, and the tone of the answer. */
export function stateOf({ expires_at, revoked_at }: Issued, now = Date.now()): { word: string; tone: Tone } {
  if (revoked_at) return { word: 'Revoked', tone: 'neutral' };
  if (!expires_at) return { word: 'Active', tone: 'ok' };
  const leftMs = Date.parse(expires_at) - now;
  if (leftMs <= 0) return { word: 'Expired', tone: 'neutral' };
  return leftMs < 7 * 86_400_000 ? { word: 'Expires soon', tone: 'warn' } : { word: 'Active', tone: 'ok' };
}

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
