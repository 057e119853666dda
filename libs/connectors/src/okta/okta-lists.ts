import type { OktaConfig, RecordKind } from '@idsync/contracts';
import { valueAt } from '../json/json-value.js';

/** https://developer.okta.com/docs/reference/api/users/ : all user statuses. */
const statuses = [
  'STAGED',
  'PROVISIONED',
  'ACTIVE',
  'RECOVERY',
  'PASSWORD_EXPIRED',
  'LOCKED_OUT',
  'SUSPENDED',
  'DEPROVISIONED',
];
const deprovisioned = 'DEPROVISIONED';
/** Allows for clock differences within the service. Reading a user twice has no effect. */
const overlapMs = 5 * 60_000;

/** The requested list and a filter for its items. */
export interface OktaList {
  path: string;
  filter?: string;
  isWanted(resource: unknown): boolean;
}

/**
 * Returns the list of all users or of those changed since a time. Okta omits deactivated users without a filter. One
 * list of all statuses does not miss users whose status changes during the read.
 */
export function listOf(kind: RecordKind, config: OktaConfig, since?: string): OktaList {
  if (kind === 'machine_identity') return { path: '/apps', isWanted: isServiceApp };
  const wanted = (status: unknown) => config.deprovisioned || status !== deprovisioned;
  const any = statuses
    .filter((status) => since !== undefined || wanted(status))
    .map((status) => `status eq "${status}"`);
  const after = since === undefined ? undefined : new Date(Date.parse(since) - overlapMs).toISOString();
  return {
    path: '/users',
    filter: after === undefined ? any.join(' or ') : `lastUpdated gt "${after}" and (${any.join(' or ')})`,
    isWanted: (user) => wanted(valueAt(user, 'status')),
  };
}

/** Returns whether an app authenticates as itself and not on behalf of users. */
function isServiceApp(app: unknown): boolean {
  const client = valueAt(valueAt(app, 'settings'), 'oauthClient');
  const grants = valueAt(client, 'grant_types');
  return (
    valueAt(client, 'application_type') === 'service' ||
    (Array.isArray(grants) && grants.includes('client_credentials'))
  );
}
