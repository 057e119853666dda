import { z } from 'zod';
import type { OperatorRole } from './fixed-values.js';

/**
 * Chain of entries that belong to no tenant. The highest UUID, which no tenant can have: in the database it takes the
 * place of the tenant.
 */
export const installationId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * `oidc` is a person of an identity provider, `portal_link` the holder of a link to the subscriber portal, `system` is
 * idsync itself, `anonymous` a caller without a valid token.
 */
export const actorKinds = [
  'admin_token',
  'service_token',
  'oidc',
  'api_key',
  'portal_link',
  'system',
  'anonymous',
] as const;
export type ActorKind = (typeof actorKinds)[number];

/** `observed`: not an act of the actor, but noticed by idsync. */
export const auditOutcomes = ['accepted', 'refused', 'observed'] as const;
export type AuditOutcome = (typeof auditOutcomes)[number];

/** Actions that are no operation of the API. */
export const observedActions = {
  signedIn: 'signedIn',
  signedOut: 'signedOut',
  signedOutByProvider: 'signedOutByProvider',
  signInFailed: 'signInFailed',
  refusedAddress: 'keyRefusedFromAddress',
  keyAdded: 'auditKeyAdded',
  anchored: 'auditAnchored',
} as const;

export const auditProblems = ['missing', 'changed', 'unlinked', 'unverifiable', 'head', 'anchor', 'known'] as const;
export type AuditProblem = (typeof auditProblems)[number];

/** Settings of a tenant for its operators. */
export const operatorPolicy = z.strictObject({
  log_reads: z
    .boolean()
    .default(false)
    .describe('Also records in the audit log when an operator reads data of people.'),
  four_eyes: z
    .boolean()
    .default(false)
    .describe(
      'Releasing or applying a run, erasing a person, and changing rules or these settings wait for the approval of a second operator.',
    ),
  approval_hours: z.int().min(1).max(168).default(24).describe('How long an approval can be given.'),
  service_token_max_days: z
    .int()
    .min(1)
    .max(3650)
    .nullable()
    .default(null)
    .describe('How long a new service token that names this tenant is valid at most. null: without limit.'),
});
export type OperatorPolicy = z.infer<typeof operatorPolicy>;

/** The roles that include each role: an admin may do everything, an auditor reads everything. */
const includedIn: Record<OperatorRole, readonly OperatorRole[]> = {
  viewer: ['viewer', 'operator', 'auditor', 'admin'],
  operator: ['operator', 'admin'],
  auditor: ['auditor', 'admin'],
  admin: ['admin'],
};

export function includesRole(role: OperatorRole, needed: OperatorRole): boolean {
  return includedIn[needed].includes(role);
}
