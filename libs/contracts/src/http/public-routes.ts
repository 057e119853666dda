import { personStatuses } from '../statuses.js';
import * as requests from './requests.js';
import * as resources from './resources.js';
import { at, limit, ok, page, type QueryParameter, type RouteDefinition } from './route.js';

const cursor: QueryParameter = {
  name: 'cursor',
  description: 'Opaque; empty for the first page, then the `next_cursor` of the previous page. Replaces `offset`.',
  schema: { type: 'string' },
};
const updatedSince: QueryParameter = {
  name: 'updated_since',
  description:
    'Only items that changed at this time or later; `total` counts only these. Times follow the order of commits: a client that requests changes since the greatest time it has received misses none. In lists of identities and users, `offset` is then limited to 10000: use `cursor` to read on.',
  schema: { type: 'string', format: 'date-time' },
};
const directory: QueryParameter[] = [
  ...page,
  {
    name: 'status',
    description: 'Only items in this status. By default, deleted items are excluded.',
    schema: { type: 'string', enum: [...personStatuses] },
  },
  updatedSince,
  cursor,
];

/** Routes for clients of a tenant: those of the interface specification and additional ones. */
export const publicRoutes: RouteDefinition[] = [
  {
    method: 'GET',
    path: '/v1/health',
    summary: 'Health check',
    auth: 'none',
    success: ok(resources.health),
  },
  {
    method: 'GET',
    path: '/v1/identities',
    summary: 'List identities',
    auth: 'key',
    scope: 'identities:read',
    query: directory,
    success: ok(resources.identityPage),
  },
  {
    method: 'GET',
    path: '/v1/identities/{id}',
    summary: 'Get one identity',
    description: 'The id of a merged identity returns the identity that it was merged into.',
    auth: 'key',
    scope: 'identities:read',
    query: [at],
    success: ok(resources.identity),
  },
  {
    method: 'GET',
    path: '/v1/identities/{id}/history',
    summary: 'Lifecycle history of an identity',
    description: 'Events of the identity and of everything linked to it, oldest first.',
    auth: 'key',
    scope: 'identities:read',
    query: [...page, updatedSince, cursor],
    success: ok(resources.historyPage),
  },
  {
    method: 'GET',
    path: '/v1/users',
    summary: "List users of the caller's tenant",
    auth: 'key',
    scope: 'users:read',
    query: directory,
    success: ok(resources.userPage),
  },
  {
    method: 'GET',
    path: '/v1/users/{id}',
    summary: 'Get one user',
    auth: 'key',
    scope: 'users:read',
    success: ok(resources.user),
  },
  {
    method: 'POST',
    path: '/v1/sync/trigger',
    summary: 'Trigger a sync job for a connector',
    description:
      'With an `idempotency_key`, a repeat within 24 hours returns the same job with the header `Idempotent-Replayed: true`. Without one, a connector has at most one queued job, which further triggers return.',
    auth: 'key',
    scope: 'sync:write',
    body: requests.triggerBody,
    bodyRefers: true,
    success: { status: 202, schema: resources.syncJobReference },
  },
  {
    method: 'GET',
    path: '/v1/sync/jobs/{id}',
    summary: 'Get sync job status',
    auth: 'key',
    scope: 'sync:read',
    success: ok(resources.syncStatus),
  },
  {
    method: 'POST',
    path: '/v1/webhooks',
    summary: 'Create a webhook subscription',
    auth: 'key',
    scope: 'webhooks:write',
    body: requests.webhookBody,
    success: { status: 201, schema: resources.createdWebhook },
  },
  {
    method: 'GET',
    path: '/v1/webhooks',
    summary: 'List webhook subscriptions',
    auth: 'key',
    scope: 'webhooks:read',
    success: ok(resources.webhookList),
  },
  {
    method: 'PATCH',
    path: '/v1/webhooks/{id}',
    summary: 'Update a webhook subscription',
    auth: 'key',
    scope: 'webhooks:write',
    body: requests.webhookPatch,
    success: ok(resources.webhook),
  },
  {
    method: 'DELETE',
    path: '/v1/webhooks/{id}',
    summary: 'Delete a webhook subscription',
    auth: 'key',
    scope: 'webhooks:write',
    success: { status: 204 },
  },
  {
    method: 'POST',
    path: '/v1/webhooks/{id}/rotate-secret',
    summary: 'Rotate the signing secret',
    description: `Earlier secrets remain valid beside the new one for ${requests.overlapHours.default} hours, or for \`overlap_hours\`. With 0 they expire at once: later requests, including retries, are not signed with them.`,
    auth: 'key',
    scope: 'webhooks:write',
    body: requests.rotateBody,
    bodyOptional: true,
    success: ok(resources.rotatedSecret),
  },
  {
    method: 'GET',
    path: '/v1/events',
    summary: "List events of the caller's tenant",
    description:
      'The same events that webhooks receive, oldest first, including webhook tests. Continue with `after` = `next_after`, even after an empty page; no event is ever committed at or before it. `data` is the resource as it was after the event, until it is purged or erased. With `types`, a page may be short or empty while `has_more` is true.',
    auth: 'key',
    scope: 'events:read',
    query: [
      {
        name: 'after',
        description: 'Only events with a higher `sequence`.',
        schema: { type: 'integer', minimum: 0, default: 0 },
      },
      limit,
      {
        name: 'types',
        description: 'Like the `events` of a subscription, separated by commas: `identity.*,user.created`.',
        schema: { type: 'string' },
      },
    ],
    success: ok(resources.eventPage),
  },
];
