import type { Scope } from './fixed-values.js';

/**
 * Rights of the holder of a portal link; each includes those before it. `read`: health, deliveries and attempts; `send`:
 * also test, resend and requeue; `change`: also settings, signing secret and signing keys.
 */
export const portalAccesses = ['read', 'send', 'change'] as const;
export type PortalAccess = (typeof portalAccesses)[number];

/** Limits of portal links. */
export const portalLinkLimits = {
  seconds: { min: 60, default: 3_600, max: 86_400 },
  webhooks: 20,
  /** Valid links of a tenant at a time. */
  ofTenant: 10_000,
} as const;

export function includesAccess(given: PortalAccess, needed: PortalAccess): boolean {
  return portalAccesses.indexOf(given) >= portalAccesses.indexOf(needed);
}

/** Scopes that an API key needs to issue a portal link, which are also those of the link. */
export function scopesOfPortal(access: PortalAccess, bodies: boolean): Scope[] {
  return [
    'webhooks:read',
    ...(access === 'read' ? [] : (['webhooks:write'] as const)),
    ...(bodies ? (['events:read'] as const) : []),
  ];
}
