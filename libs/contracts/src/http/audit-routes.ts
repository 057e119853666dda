import { operatorPolicy } from '../audit.js';
import * as shown from './audit-resources.js';
import { limit, ok, operator, type QueryParameter, type RouteDefinition, tenantPath, withFourEyes } from './route.js';

const string = { type: 'string' };
const time = { type: 'string', format: 'date-time' };
const filters: QueryParameter[] = [
  limit,
  {
    name: 'cursor',
    description: '`next_cursor` of an earlier page. A page may be shorter than `limit` although more follow.',
    schema: string,
  },
  { name: 'actor', description: 'Only acts of the actor with this name.', schema: string },
  { name: 'action', description: 'Only this action, such as releaseSyncJob.', schema: string },
  { name: 'resource', description: 'Only acts on the resource with this id.', schema: string },
  { name: 'request_id', description: 'Only acts of the request with this `x-request-id`.', schema: string },
  { name: 'since', description: 'Only entries of this time or later.', schema: time },
  { name: 'until', description: 'Only entries before this time.', schema: time },
];
const verification: QueryParameter[] = [
  {
    name: 'after',
    description: 'Begin after the entry with this number.',
    schema: { type: 'integer', minimum: 0, default: 0 },
  },
  { name: 'known', description: 'Sequence and hash of an entry that the caller kept: `12:0f…`.', schema: string },
];
const recomputes =
  'Recomputes hashes and keyed hashes of up to 5000 entries. At the end of the chain, compares it with its head, with the chain of the installation, and with `known`.';

/** Operators' routes for the audit log. */
export const auditRoutes: RouteDefinition[] = [
  operator(
    'GET',
    '/admin/v1/audit',
    'List audit entries of all tenants, the newest first',
    ok(shown.auditPage),
    undefined,
    filters,
  ),
  {
    ...operator(
      'GET',
      '/admin/v1/audit/verification',
      'Verify the chain of the installation',
      ok(shown.auditVerification),
      undefined,
      verification,
    ),
    description: recomputes,
  },
  operator('GET', `${tenantPath}/audit`, 'List audit entries of a tenant', ok(shown.auditPage), undefined, [
    ...filters,
    {
      name: 'order',
      description: 'asc: the oldest first | desc: the newest first.',
      schema: { type: 'string', enum: ['asc', 'desc'], default: 'desc' },
    },
  ]),
  {
    ...operator(
      'GET',
      `${tenantPath}/audit/verification`,
      'Verify the audit chain of a tenant',
      ok(shown.auditVerification),
      undefined,
      verification,
    ),
    description: recomputes,
  },
  operator('GET', `${tenantPath}/operator-policy`, 'Get the settings for operators', ok(operatorPolicy)),
  withFourEyes(
    operator(
      'PUT',
      `${tenantPath}/operator-policy`,
      'Replace the settings for operators',
      ok(operatorPolicy),
      operatorPolicy,
    ),
  ),
];
