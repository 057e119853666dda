import type { OktaConfig, RecordKind } from '@idsync/contracts';
import { valueAt } from '../json/json-value.js';

/** https://developer.okta.com/docs/reference/api/users/ : all that a user can have. */
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
/** Clocks of a service of many machines differ; who is read twice is not changed by it. */
const overlapMs = 5 * 60_000;

/** What is asked for, of whom some are not wanted. */
export interface OktaList {
  path: string;
  filter?: string;
  isWanted(resource: unknown): boolean;
}

/**
 * All users, or those that have changed since a time. Without a filter Okta leaves out who is deactivated; one list of all
 * statuses misses nobody who changes from one to another meanwhile.
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

/** An app that signs in as itself, not for people. */
function isServiceApp(app: unknown): boolean {
  const client = valueAt(valueAt(app, 'settings'), 'oauthClient');
  const grants = valueAt(client, 'grant_types');
  return (
    valueAt(client, 'application_type') === 'service' ||
    (Array.isArray(grants) && grants.includes('client_credentials'))
  );
}
