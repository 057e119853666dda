import { operatorPolicy } from '../audit.js';
import * as shown from './audit-resources.js';
import {
  choice,
  installation,
  limit,
  type QueryParameter,
  type RouteDefinition,
  tenant,
  textParameter,
  timeParameter,
} from './route.js';

const filters: QueryParameter[] = [
  limit,
  textParameter('cursor', '`next_cursor` of an earlier page. A page may be shorter than `limit` although more follow.'),
  textParameter('actor', 'Only acts of the actor with this name.'),
  textParameter('action', 'Only this action, such as releaseSyncJob.'),
  textParameter('resource', 'Only acts on the resource with this id.'),
  textParameter('request_id', 'Only acts of the request with this `x-request-id`.'),
  timeParameter('since', 'Only entries of this time or later.'),
  timeParameter('until', 'Only entries before this time.'),
];
const verification = {
  description:
    'Recomputes hashes and keyed hashes of up to 5000 entries. At the end of the chain, compares it with its head, with the chain of the installation, and with `known`.',
  query: [
    {
      name: 'after',
      description: 'Begin after the entry with this number.',
      schema: { type: 'integer', minimum: 0, default: 0 },
    },
    textParameter('known', 'Sequence and hash of an entry that the caller kept: `12:0f…`.'),
  ],
};
const order = choice('order', 'asc: the oldest first | desc: the newest first.', ['asc', 'desc'], 'desc');

/** Operators' routes for the audit log. */
export const auditRoutes: RouteDefinition[] = [
  installation.get('/audit', 'List audit entries of all tenants, the newest first', shown.auditPage, {
    query: filters,
  }),
  installation.get(
    '/audit/verification',
    'Verify the chain of the installation',
    shown.auditVerification,
    verification,
  ),
  tenant.get('/audit', 'List audit entries of a tenant', shown.auditPage, { query: [...filters, order] }),
  tenant.get('/audit/verification', 'Verify the audit chain of a tenant', shown.auditVerification, verification),
  tenant.get('/operator-policy', 'Get the settings for operators', operatorPolicy),
  tenant.put('/operator-policy', 'Replace the settings for operators', operatorPolicy, {
    body: operatorPolicy,
    fourEyes: true,
  }),
];
