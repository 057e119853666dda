import type { z } from 'zod';
import { attributePriorities } from '../attribute-priorities.js';
import { connectorBody } from '../connector-config.js';
import { matchingRules } from '../matching-rules.js';
import { caseStatuses } from '../operations.js';
import { personStatuses } from '../statuses.js';
import type { Scope } from './errors.js';
import * as requests from './requests.js';
import * as resources from './resources.js';

export interface RouteDefinition {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** OpenAPI form: `{id}`. */
  path: string;
  summary: string;
  description?: string;
  auth: 'none' | 'key' | 'operator';
  scope?: Scope;
  query?: readonly QueryParameter[];
  body?: z.ZodType;
  /** A request without a body is as good. */
  bodyOptional?: boolean;
  success: { status: number; schema?: z.ZodType };
  /** Statuses beside 401 (and 403 with a key) and 500. */
  errors: readonly number[];
}

interface QueryParameter {
  name: string;
  description: string;
  schema: Record<string, unknown>;
}

const page: QueryParameter[] = [
  {
    name: 'limit',
    description: `Page size; more than ${requests.largestPageSize} is taken for ${requests.largestPageSize}.`,
    schema: { type: 'integer', minimum: 1, default: requests.defaultPageSize },
  },
  { name: 'offset', description: 'Items to pass over.', schema: { type: 'integer', minimum: 0, default: 0 } },
];
const cursor: QueryParameter = {
  name: 'cursor',
  description: 'Opaque; empty for the first page, then the `next_cursor` of the page before. Replaces `offset`.',
  schema: { type: 'string' },
};
const updatedSince: QueryParameter = {
  name: 'updated_since',
  description: 'Only what changed at this time or later; `total` then counts those.',
  schema: { type: 'string', format: 'date-time' },
};
const at: QueryParameter = {
  name: 'at',
  description: 'The identity as it was at this time; 404 if it was not there yet.',
  schema: { type: 'string', format: 'date-time' },
};
const directory: QueryParameter[] = [
  ...page,
  {
    name: 'status',
    description: 'Only this status. Without it, deleted ones are left out.',
    schema: { type: 'string', enum: [...personStatuses] },
  },
  updatedSince,
  cursor,
];

const publicRoutes: RouteDefinition[] = [
  {
    method: 'GET',
    path: '/v1/health',
    summary: 'Health check',
    auth: 'none',
    success: ok(resources.health),
    errors: [],
  },
  {
    method: 'GET',
    path: '/v1/identities',
    summary: 'List identities',
    auth: 'key',
    scope: 'identities:read',
    query: directory,
    success: ok(resources.identityPage),
    errors: [400],
  },
  {
    method: 'GET',
    path: '/v1/identities/{id}',
    summary: 'Get one identity',
    description: 'The id of an identity that was merged into another answers with that other one.',
    auth: 'key',
    scope: 'identities:read',
    query: [at],
    success: ok(resources.identity),
    errors: [400, 404],
  },
  {
    method: 'GET',
    path: '/v1/identities/{id}/history',
    summary: 'Lifecycle history of an identity',
    description: 'Oldest first: what happened to the identity and to everything linked to it.',
    auth: 'key',
    scope: 'identities:read',
    query: [...page, updatedSince, cursor],
    success: ok(resources.historyPage),
    errors: [400, 404],
  },
  {
    method: 'GET',
    path: '/v1/users',
    summary: "List users of the caller's tenant",
    auth: 'key',
    scope: 'users:read',
    query: directory,
    success: ok(resources.userPage),
    errors: [400],
  },
  {
    method: 'GET',
    path: '/v1/users/{id}',
    summary: 'Get one user',
    auth: 'key',
    scope: 'users:read',
    success: ok(resources.user),
    errors: [404],
  },
  {
    method: 'POST',
    path: '/v1/sync/trigger',
    summary: 'Trigger a sync job for a connector',
    description:
      'With an `idempotency_key`, a repeat within 24 hours is answered with the same job and the header `Idempotent-Replayed: true`. Without one, a connector has at most one queued job, and a further trigger is answered with it.',
    auth: 'key',
    scope: 'sync:write',
    body: requests.triggerBody,
    success: { status: 202, schema: resources.syncJobReference },
    errors: [400, 404],
  },
  {
    method: 'GET',
    path: '/v1/sync/jobs/{id}',
    summary: 'Get sync job status',
    auth: 'key',
    scope: 'sync:read',
    success: ok(resources.syncStatus),
    errors: [404],
  },
  {
    method: 'POST',
    path: '/v1/webhooks',
    summary: 'Create a webhook subscription',
    auth: 'key',
    scope: 'webhooks:write',
    body: requests.webhookBody,
    success: { status: 201, schema: resources.createdWebhook },
    errors: [400],
  },
  {
    method: 'GET',
    path: '/v1/webhooks',
    summary: 'List webhook subscriptions',
    auth: 'key',
    scope: 'webhooks:read',
    success: ok(resources.webhookList),
    errors: [],
  },
  {
    method: 'PATCH',
    path: '/v1/webhooks/{id}',
    summary: 'Update a webhook subscription',
    auth: 'key',
    scope: 'webhooks:write',
    body: requests.webhookPatch,
    success: ok(resources.webhook),
    errors: [400, 404],
  },
  {
    method: 'DELETE',
    path: '/v1/webhooks/{id}',
    summary: 'Delete a webhook subscription',
    auth: 'key',
    scope: 'webhooks:write',
    success: { status: 204 },
    errors: [404],
  },
  {
    method: 'POST',
    path: '/v1/webhooks/{id}/rotate-secret',
    summary: 'Rotate the signing secret',
    description: 'The old secret keeps signing beside the new one for 24 hours.',
    auth: 'key',
    scope: 'webhooks:write',
    success: ok(resources.rotatedSecret),
    errors: [404],
  },
];

const tenantPath = '/admin/v1/tenants/{tenantId}';

const operatorRoutes: RouteDefinition[] = [
  operator('POST', '/admin/v1/tenants', 'Create a tenant', created(resources.tenant), [400], requests.tenantBody),
  operator('GET', '/admin/v1/tenants', 'List tenants', ok(resources.tenantPage), [400], undefined, page),
  operator('GET', tenantPath, 'Get one tenant', ok(resources.tenant), [404]),
  operator(
    'POST',
    `${tenantPath}/api-keys`,
    'Issue an API key',
    created(resources.createdApiKey),
    [400, 404],
    requests.apiKeyBody,
  ),
  operator('GET', `${tenantPath}/api-keys`, 'List API keys', ok(resources.apiKeyPage), [400, 404], undefined, page),
  operator('DELETE', `${tenantPath}/api-keys/{keyId}`, 'Revoke an API key', { status: 204 }, [404]),
  operator(
    'POST',
    `${tenantPath}/connectors`,
    'Create a connector',
    created(resources.connector),
    [400, 404],
    connectorBody,
  ),
  operator(
    'GET',
    `${tenantPath}/connectors`,
    'List connectors',
    ok(resources.connectorPage),
    [400, 404],
    undefined,
    page,
  ),
  operator('GET', `${tenantPath}/connectors/{connectorId}`, 'Get one connector', ok(resources.connector), [404]),
  operator(
    'PATCH',
    `${tenantPath}/connectors/{connectorId}`,
    'Update a connector; the fields given replace its own',
    ok(resources.connector),
    [400, 404],
    requests.connectorPatch,
  ),
  operator('DELETE', `${tenantPath}/connectors/{connectorId}`, 'Delete a connector', { status: 204 }, [404]),
  operator(
    'POST',
    `${tenantPath}/sync-jobs`,
    'Trigger a sync job, or a dry run that only writes its plan',
    { status: 202, schema: resources.syncJobReference },
    [400, 404],
    requests.operatorTriggerBody,
  ),
  operator('GET', `${tenantPath}/sync-jobs`, 'List sync jobs', ok(resources.operatorJobPage), [400, 404], undefined, [
    ...page,
    { name: 'connector_id', description: 'Only jobs of this connector.', schema: { type: 'string' } },
    { name: 'status', description: 'Only jobs in this status.', schema: { type: 'string' } },
  ]),
  operator(
    'GET',
    `${tenantPath}/sync-jobs/{jobId}`,
    'Get one sync job, with the records it could not use',
    ok(resources.operatorJobWithErrors),
    [404],
  ),
  {
    ...operator(
      'POST',
      `${tenantPath}/sync-jobs/{jobId}/cancel`,
      'Cancel a sync job; a quarantined one needs a reason',
      { status: 202, schema: resources.syncJobReference },
      [400, 404],
      requests.cancelBody,
    ),
    bodyOptional: true,
  },
  operator(
    'GET',
    `${tenantPath}/sync-jobs/{jobId}/plan`,
    'Get what a job would change or delete beyond what it did at once, in the order it is done',
    ok(resources.syncPlan),
    [400, 404],
    undefined,
    page,
  ),
  operator(
    'POST',
    `${tenantPath}/sync-jobs/{jobId}/release`,
    'Let a quarantined job do what its safeguard held back, for this run only',
    { status: 202, schema: resources.syncJobReference },
    [400, 404],
    requests.releaseBody,
  ),
  {
    ...operation(
      'POST',
      `${tenantPath}/sync-jobs/{jobId}/apply`,
      'Apply exactly the plan of a dry run; refused if the directory has changed under it',
      requests.reasonBody,
    ),
    bodyOptional: true,
  },
  {
    ...operation(
      'POST',
      `${tenantPath}/sync-jobs/{jobId}/undo`,
      'Put back what a job changed and nobody changed since, or tell what that would be',
      requests.undoBody,
    ),
    bodyOptional: true,
  },
  operator(
    'GET',
    `${tenantPath}/cases`,
    'List review cases, the oldest first',
    ok(resources.reviewCasePage),
    [400, 404],
    undefined,
    [
      ...page,
      {
        name: 'status',
        description: 'Only this status.',
        schema: { type: 'string', enum: [...caseStatuses], default: 'open' },
      },
    ],
  ),
  operator('GET', `${tenantPath}/cases/{caseId}`, 'Get one review case', ok(resources.reviewCase), [404]),
  operation(
    'POST',
    `${tenantPath}/cases/{caseId}/resolve`,
    'Decide whose the record of a case is',
    requests.resolveBody,
  ),
  operator(
    'GET',
    `${tenantPath}/identities/{identityId}`,
    'Get one identity, as a client of the tenant sees it',
    ok(resources.identity),
    [400, 404],
    undefined,
    [at],
  ),
  operation(
    'POST',
    `${tenantPath}/identities/{identityId}/merge`,
    'Merge other identities into this one',
    requests.mergeBody,
  ),
  operation(
    'POST',
    `${tenantPath}/identities/{identityId}/split`,
    'Make another identity of some of its records',
    requests.splitBody,
  ),
  {
    ...operation(
      'POST',
      `${tenantPath}/identities/{identityId}/erase`,
      'Erase every trace of one person, for good',
      requests.reasonBody,
    ),
    bodyOptional: true,
  },
  operator('GET', `${tenantPath}/matching-rules`, 'Get the matching rules', ok(matchingRules), [404]),
  operation('PUT', `${tenantPath}/matching-rules`, 'Change the matching rules and sort everybody anew', matchingRules),
  operation(
    'POST',
    `${tenantPath}/matching-rules/preview`,
    'Tell who would join and who would part by these rules',
    matchingRules,
  ),
  operator(
    'GET',
    `${tenantPath}/identities/{identityId}/explain`,
    'Tell for each field of an identity which source won, over what, and why',
    ok(resources.explanation),
    [404],
  ),
  operator(
    'GET',
    `${tenantPath}/machine-identities/{machineId}`,
    'Tell whose a machine identity is, and what its risk score is made of',
    ok(resources.machineIdentityDetails),
    [404],
  ),
  operator(
    'GET',
    `${tenantPath}/attribute-priorities`,
    'Get whose word counts for which field',
    ok(attributePriorities),
    [404],
  ),
  operation(
    'PUT',
    `${tenantPath}/attribute-priorities`,
    "Replace whose word counts for which field; the rest follows the connectors' priorities",
    attributePriorities,
  ),
  operator(
    'GET',
    `${tenantPath}/operations`,
    'List what operators have done, the newest first',
    ok(resources.operationPage),
    [400, 404],
    undefined,
    page,
  ),
  operator('GET', `${tenantPath}/operations/{operationId}`, 'Get one operation', ok(resources.operation), [404]),
  {
    ...operation(
      'POST',
      `${tenantPath}/operations/{operationId}/revert`,
      'Take back a merge, a split or a resolved case',
      requests.reasonBody,
    ),
    bodyOptional: true,
  },
];

/** Every route of the gateway; the OpenAPI document and the check of scopes are made from it. */
export const routes: readonly RouteDefinition[] = [...publicRoutes, ...operatorRoutes];

function ok(schema: z.ZodType): RouteDefinition['success'] {
  return { status: 200, schema };
}

function created(schema: z.ZodType): RouteDefinition['success'] {
  return { status: 201, schema };
}

function operator(
  method: RouteDefinition['method'],
  path: string,
  summary: string,
  success: RouteDefinition['success'],
  errors: readonly number[],
  body?: z.ZodType,
  query?: readonly QueryParameter[],
): RouteDefinition {
  return { method, path, summary, auth: 'operator', success, errors, body, query };
}

/** What the directory does for an operator; it is waited for, but not for ever. */
function operation(method: RouteDefinition['method'], path: string, summary: string, body: z.ZodType): RouteDefinition {
  return {
    ...operator(method, path, summary, ok(resources.operation), [400, 404], body),
    description:
      'Answers 202 with the same body, its status still queued, if the directory takes longer than ten seconds.',
  };
}
