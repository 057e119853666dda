import type { Scope } from '../fixed-values.js';
import * as requests from './requests.js';
import * as resources from './resources.js';
import { accepted, actions, created, noContent, routesAt } from './route.js';

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
export const publicRoutes = actions({
  getHealth: open.get('/health', 'Health check', resources.health),
  listIdentities: identities.get('/identities', 'List identities', resources.identityPage, {
    query: requests.directoryQuery,
    conditional: true,
  }),
  getIdentity: identities.get('/identities/{id}', 'Get one identity', resources.identity, {
    description: 'The id of a merged identity returns the identity that it was merged into.',
    query: requests.identityQuery,
    conditional: true,
  }),
  listIdentityHistory: identities.get(
    '/identities/{id}/history',
    'Lifecycle history of an identity',
    resources.historyPage,
    {
      description: 'Events of the identity and of everything linked to it, oldest first.',
      query: requests.historyQuery,
    },
  ),
  listUsers: users.get('/users', "List users of the caller's tenant", resources.userPage, {
    query: requests.directoryQuery,
    conditional: true,
  }),
  getUser: users.get('/users/{id}', 'Get one user', resources.user, { conditional: true }),
  listAccounts: accounts.get('/accounts', 'List accounts', resources.accountPage, { query: requests.accountQuery }),
  getAccount: accounts.get('/accounts/{id}', 'Get one account', resources.account),
  listMachineIdentities: machines.get('/machine-identities', 'List machine identities', resources.machineIdentityPage, {
    query: requests.machineQuery,
  }),
  getMachineIdentity: machines.get('/machine-identities/{id}', 'Get one machine identity', resources.machineIdentity),
  listGroups: groups.get('/groups', 'List groups', resources.groupPage, {
    description: 'The groups that sources name in their users. A group without members is not listed.',
    query: requests.groupQuery,
  }),
  getGroup: groups.get('/groups/{id}', 'Get one group', resources.group),
  listGroupMembers: users.get('/groups/{id}/members', 'List the users of a group', resources.userPage, {
    query: requests.memberQuery,
  }),
  listConnectors: syncs.get(
    '/connectors',
    'List connectors, without their configuration',
    resources.connectorSummaryPage,
    { query: requests.pageQuery },
  ),
  triggerSync: withScope('sync:write').post(
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
  getSyncJob: syncs.get('/sync/jobs/{id}', 'Get sync job status', resources.syncStatus),
  createWebhook: changes.post('/webhooks', 'Create a webhook subscription', created(resources.createdWebhook), {
    body: requests.webhookBody,
  }),
  listWebhooks: webhooks.get('/webhooks', 'List webhook subscriptions', resources.webhookList, { portal: 'read' }),
  updateWebhook: changes.patch('/webhooks/{id}', 'Update a webhook subscription', resources.webhook, {
    portal: 'change',
    body: requests.webhookPatch,
  }),
  deleteWebhook: changes.del('/webhooks/{id}', 'Delete a webhook subscription', noContent),
  rotateWebhookSecret: changes.post(
    '/webhooks/{id}/rotate-secret',
    'Rotate the signing secret',
    resources.rotatedSecret,
    {
      description: `Earlier secrets remain valid beside the new one for ${requests.overlapHours.default} hours, or for \`overlap_hours\`. With 0 they expire at once: later requests, including retries, are not signed with them.`,
      portal: 'change',
      body: requests.rotateBody,
      bodyOptional: true,
    },
  ),
  listEvents: events.get('/events', "List events of the caller's tenant", resources.eventPage, {
    description:
      'The same events that webhooks receive, oldest first, including webhook tests. Continue with `after` = `next_after`, even after an empty page; no event is ever committed at or before it. `data` is the resource as it was after the event, until it is purged or erased. With `types`, a page may be short or empty while `has_more` is true.',
    query: requests.eventsQuery,
  }),
});
