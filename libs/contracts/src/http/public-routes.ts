import type { Scope } from './errors.js';
import {
  accountParameters,
  cursor,
  directoryParameters,
  groupParameters,
  machineParameters,
  memberParameters,
  updatedSince,
} from './list-parameters.js';
import * as requests from './requests.js';
import * as resources from './resources.js';
import {
  accepted,
  at,
  created,
  limit,
  noContent,
  page,
  type RouteDefinition,
  routesAt,
  textParameter,
} from './route.js';

const open = routesAt('/v1', { auth: 'none' });
const withScope = (scope: Scope) => routesAt('/v1', { auth: 'key', scope });
const [identities, users, accounts] = [
  withScope('identities:read'),
  withScope('users:read'),
  withScope('accounts:read'),
];
const [machines, groups, syncs] = [withScope('machines:read'), withScope('groups:read'), withScope('sync:read')];
const [webhooks, changes, events] = [withScope('webhooks:read'), withScope('webhooks:write'), withScope('events:read')];

/** Routes for clients of a tenant: those of the interface specification and additional ones. */
export const publicRoutes: RouteDefinition[] = [
  open.get('/health', 'Health check', resources.health),
  identities.get('/identities', 'List identities', resources.identityPage, {
    query: directoryParameters,
    conditional: true,
  }),
  identities.get('/identities/{id}', 'Get one identity', resources.identity, {
    description: 'The id of a merged identity returns the identity that it was merged into.',
    query: [at],
    conditional: true,
  }),
  identities.get('/identities/{id}/history', 'Lifecycle history of an identity', resources.historyPage, {
    description: 'Events of the identity and of everything linked to it, oldest first.',
    query: [...page, updatedSince, cursor],
  }),
  users.get('/users', "List users of the caller's tenant", resources.userPage, {
    query: directoryParameters,
    conditional: true,
  }),
  users.get('/users/{id}', 'Get one user', resources.user, { conditional: true }),
  accounts.get('/accounts', 'List accounts', resources.accountPage, { query: accountParameters }),
  accounts.get('/accounts/{id}', 'Get one account', resources.account),
  machines.get('/machine-identities', 'List machine identities', resources.machineIdentityPage, {
    query: machineParameters,
  }),
  machines.get('/machine-identities/{id}', 'Get one machine identity', resources.machineIdentity),
  groups.get('/groups', 'List groups', resources.groupPage, {
    description: 'The groups that sources name in their users. A group without members is not listed.',
    query: groupParameters,
  }),
  groups.get('/groups/{id}', 'Get one group', resources.group),
  users.get('/groups/{id}/members', 'List the users of a group', resources.userPage, { query: memberParameters }),
  syncs.get('/connectors', 'List connectors, without their configuration', resources.connectorSummaryPage, {
    query: page,
  }),
  withScope('sync:write').post(
    '/sync/trigger',
    'Trigger a sync job for a connector',
    accepted(resources.syncJobReference),
    {
      description:
        'With an `idempotency_key`, a repeat within 24 hours returns the same job with the header `Idempotent-Replayed: true`. Without one, a connector has at most one queued job, which further triggers return.',
      body: requests.triggerBody,
      bodyRefers: true,
    },
  ),
  syncs.get('/sync/jobs/{id}', 'Get sync job status', resources.syncStatus),
  changes.post('/webhooks', 'Create a webhook subscription', created(resources.createdWebhook), {
    body: requests.webhookBody,
  }),
  webhooks.get('/webhooks', 'List webhook subscriptions', resources.webhookList, { portal: 'read' }),
  changes.patch('/webhooks/{id}', 'Update a webhook subscription', resources.webhook, {
    portal: 'change',
    body: requests.webhookPatch,
  }),
  changes.del('/webhooks/{id}', 'Delete a webhook subscription', noContent),
  changes.post('/webhooks/{id}/rotate-secret', 'Rotate the signing secret', resources.rotatedSecret, {
    description: `Earlier secrets remain valid beside the new one for ${requests.overlapHours.default} hours, or for \`overlap_hours\`. With 0 they expire at once: later requests, including retries, are not signed with them.`,
    portal: 'change',
    body: requests.rotateBody,
    bodyOptional: true,
  }),
  events.get('/events', "List events of the caller's tenant", resources.eventPage, {
    description:
      'The same events that webhooks receive, oldest first, including webhook tests. Continue with `after` = `next_after`, even after an empty page; no event is ever committed at or before it. `data` is the resource as it was after the event, until it is purged or erased. With `types`, a page may be short or empty while `has_more` is true.',
    query: [
      {
        name: 'after',
        description:
          'Only events with a higher `sequence`. `latest` returns no events, and the newest `sequence` as `next_after`. A number above the newest `sequence` is 400: the client has a position of another installation, or of a later state than a restored backup.',
        schema: {
          anyOf: [
            { type: 'integer', minimum: 0 },
            { type: 'string', enum: ['latest'] },
          ],
          default: 0,
        },
      },
      limit,
      textParameter('types', 'Like the `events` of a subscription, separated by commas: `identity.*,user.created`.'),
    ],
  }),
];
