import { attributePriorities } from '../attribute-priorities.js';
import { connectorBody } from '../connector-config.js';
import { caseStatuses, resultLists } from '../fixed-values.js';
import { lifecyclePolicy } from '../lifecycle-policy.js';
import { matchingRules } from '../matching-rules.js';
import {
  accountParameters,
  cursor,
  directoryParameters,
  groupParameters,
  machineParameters,
  updatedSince,
} from './list-parameters.js';
import * as shown from './operator-resources.js';
import * as requests from './requests.js';
import * as resources from './resources.js';
import {
  accepted,
  at,
  choice,
  created,
  installation,
  noContent,
  page,
  type RouteDefinition,
  tenant,
  textParameter,
} from './route.js';

const queued = accepted(resources.syncJobReference);

/** Routes of the operator interface. */
export const operatorRoutes: RouteDefinition[] = [
  installation.post('/tenants', 'Create a tenant', created(shown.tenant), { body: requests.tenantBody }),
  installation.get('/tenants', 'List tenants', shown.tenantPage, { query: page }),
  tenant.get('', 'Get one tenant', shown.tenant),
  tenant.patch('', 'Rename, suspend or resume a tenant', shown.tenant, { body: requests.tenantPatch }),
  tenant.get('/export', 'Export all data of a tenant, without secrets, from one snapshot', {
    status: 200,
    schema: shown.tenantExport,
    type: 'application/x-ndjson',
  }),
  tenant.get('/deletion', 'Count what a deletion of the tenant removes, and show its progress', shown.tenantDeletion),
  tenant.post('/deletion', 'Delete a tenant with all its data; this cannot be undone', accepted(shown.tenantDeletion), {
    body: requests.tenantDeletionBody,
    fourEyes: true,
  }),
  tenant.post('/api-keys', 'Issue an API key', created(shown.createdApiKey), { body: requests.apiKeyBody }),
  tenant.get('/api-keys', 'List API keys', shown.apiKeyPage, { query: page }),
  tenant.patch('/api-keys/{keyId}', 'Change the name, scopes or expiry of an API key; its secret stays', shown.apiKey, {
    body: requests.apiKeyPatch,
  }),
  tenant.del('/api-keys/{keyId}', 'Revoke an API key', noContent),
  tenant.post('/connectors', 'Create a connector', created(shown.connector), { body: connectorBody }),
  tenant.get('/connectors', 'List connectors', shown.connectorPage, { query: page }),
  tenant.get('/connectors/{connectorId}', 'Get one connector', shown.connector),
  tenant.patch(
    '/connectors/{connectorId}',
    'Update a connector; given fields replace the stored ones',
    shown.changedConnector,
    {
      body: requests.connectorPatch,
      mayTakeLonger: true,
      fourEyes: true,
      description:
        'A changed priority, or a mapping that gains or loses the dates of employments, is stored by an operation that computes all people again: returns 202 with the stored values if it is queued or held.',
    },
  ),
  tenant.get(
    '/connectors/{connectorId}/errors',
    'List the failing records of a connector; a record is removed when it succeeds',
    shown.failingRecordPage,
    { query: page },
  ),
  tenant.get(
    '/connectors/{connectorId}/deletion',
    'Count the live records that a deletion of the connector would leave in the directory',
    shown.connectorDeletion,
  ),
  tenant.del('/connectors/{connectorId}', 'Delete a connector, and keep, retire or hand over its records', noContent, {
    query: [
      choice(
        'records',
        'keep: they stay as they are | retire: a job deletes them under the deletion safeguard | hand_over: they become records of the connector `to`. With four eyes only keep; retiring or handing over the records of the deleted connector then needs a second operator.',
        requests.recordsOfDeleted,
        'keep',
      ),
      textParameter('to', 'With hand_over: id of the connector that takes the records.'),
    ],
  }),
  tenant.get('/deleted-connectors', 'List deleted connectors, those deleted last first', shown.deletedConnectorPage, {
    query: page,
  }),
  tenant.get('/deleted-connectors/{connectorId}', 'Get one deleted connector', shown.deletedConnector),
  tenant.post(
    '/deleted-connectors/{connectorId}/retire',
    'Start a job that deletes the records of a deleted connector, under its deletion safeguard',
    queued,
    { fourEyes: true },
  ),
  operation(
    '/deleted-connectors/{connectorId}/hand-over',
    'Give the records of a deleted connector to another connector',
    { body: requests.handOverBody, fourEyes: true },
  ),
  tenant.post(
    '/connectors/{connectorId}/tokens',
    'Issue a token for an identity provider that pushes to a connector',
    created(shown.createdConnectorToken),
    { body: requests.connectorTokenBody },
  ),
  tenant.get('/connectors/{connectorId}/tokens', 'List the tokens of a connector', shown.connectorTokenPage, {
    query: page,
  }),
  tenant.del('/connectors/{connectorId}/tokens/{tokenId}', 'Revoke a token', noContent),
  probe('test', 'Read the first records of a source without changes'),
  probe('discover', 'List the fields of a source, for the mapping'),
  tenant.get(
    '/connectors/{connectorId}/probes/{probeId}',
    'Get the result of a test or discovery',
    shown.connectorProbe,
  ),
  tenant.post(
    '/connectors/{connectorId}/records/{externalId}/sync',
    'Read one record of a source now and apply it; its id is percent-encoded',
    shown.operatorJobWithErrors,
    {
      mayTakeLonger: true,
      description:
        'Returns 200 with the job when it has ended or is quarantined, and 202 with its current state if that takes longer than ten seconds. 400 if connectors of this type cannot read a single record.',
    },
  ),
  tenant.post('/sync-jobs', 'Trigger a sync job, or a dry run that only stores its plan', queued, {
    body: requests.operatorTriggerBody,
  }),
  tenant.get('/sync-jobs', 'List sync jobs', shown.operatorJobPage, {
    query: [
      ...page,
      textParameter('connector_id', 'Only jobs of this connector.'),
      textParameter('status', 'Only jobs in this status.'),
    ],
  }),
  tenant.get(
    '/sync-jobs/{jobId}',
    'Get one sync job, with the records that were left out',
    shown.operatorJobWithErrors,
  ),
  tenant.post('/sync-jobs/{jobId}/cancel', 'Cancel a sync job; a quarantined one needs a reason', queued, {
    body: requests.cancelBody,
    bodyOptional: true,
  }),
  tenant.get(
    '/sync-jobs/{jobId}/plan',
    'Get the plan of a job: changes and deletions that it did not apply at once, in their order',
    shown.syncPlan,
    {
      query: [
        ...page,
        choice('action', 'Only changes of this kind.', requests.planActions),
        {
          name: 'external_id',
          description: 'Only records whose external id contains this text; case is ignored.',
          schema: { type: 'string', maxLength: 512 },
        },
      ],
    },
  ),
  tenant.post('/sync-jobs/{jobId}/release', 'Release a quarantined job, for this run only', queued, {
    body: requests.releaseBody,
    fourEyes: true,
  }),
  operation(
    '/sync-jobs/{jobId}/apply',
    'Apply exactly the plan of a dry run; refused if the directory has changed since',
    { body: requests.reasonBody, bodyOptional: true, fourEyes: true },
  ),
  operation(
    '/sync-jobs/{jobId}/undo',
    'Undo the changes of a job, except where data has changed since; or preview this',
    { body: requests.undoBody, bodyOptional: true, fourEyes: true },
  ),
  tenant.get('/cases', 'List review cases, the oldest first', shown.reviewCasePage, {
    query: [...page, choice('status', 'Only this status.', caseStatuses, 'open')],
  }),
  tenant.get('/cases/{caseId}', 'Get one review case', shown.reviewCase),
  operation('/cases/{caseId}/resolve', 'Resolve a review case', { body: requests.resolveBody }),
  tenant.get('/identities', 'List or find identities, as a client of the tenant sees them', resources.identityPage, {
    query: directoryParameters,
  }),
  tenant.get('/users', 'List or find users', resources.userPage, { query: directoryParameters }),
  tenant.get('/groups', 'List groups', resources.groupPage, { query: groupParameters }),
  tenant.get('/accounts', 'List or find accounts', resources.accountPage, { query: accountParameters }),
  tenant.get('/machine-identities', 'List or find machine identities', shown.operatorMachineIdentityPage, {
    query: machineParameters,
  }),
  tenant.get('/identities/{identityId}', 'Get one identity, as a client of the tenant sees it', resources.identity, {
    query: [at],
  }),
  operation('/identities/{identityId}/merge', 'Merge other identities into this one', { body: requests.mergeBody }),
  operation('/identities/{identityId}/split', 'Split some of its records off into a new identity', {
    body: requests.splitBody,
  }),
  operation(
    '/identities/{identityId}/erase',
    'Permanently erase all data of one person, and leave the person out of later runs',
    { body: requests.eraseBody, bodyOptional: true, fourEyes: true },
  ),
  tenant.get(
    '/suppressions',
    'List the erased people who are left out of runs, the newest first',
    shown.suppressionPage,
    { query: page },
  ),
  tenant.get('/suppressions/{suppressionId}', 'Get one suppression', shown.suppression),
  tenant.del(
    '/suppressions/{suppressionId}',
    'Lift a suppression; the next full run may create the person again',
    noContent,
  ),
  tenant.get('/lifecycle-policy', 'Get the rules for dates and leavers', lifecyclePolicy),
  replacement('/lifecycle-policy', 'Replace the rules for dates and leavers and compute all statuses again', {
    body: lifecyclePolicy,
  }),
  tenant.get('/matching-rules', 'Get the matching rules', matchingRules),
  replacement('/matching-rules', 'Change the matching rules and match all records again', { body: matchingRules }),
  operation('/matching-rules/preview', 'Preview which identities these rules would merge and split', {
    body: matchingRules,
  }),
  tenant.get(
    '/identities/{identityId}/history',
    'Lifecycle history of an identity, as a client of the tenant sees it',
    resources.historyPage,
    { query: [...page, updatedSince, cursor] },
  ),
  tenant.get(
    '/identities/{identityId}/explain',
    'Explain for each field of an identity which source won, over which others, and why',
    shown.explanation,
  ),
  tenant.get(
    '/machine-identities/{machineId}',
    'Get the people of a machine identity, and the factors of its risk score',
    shown.machineIdentityDetails,
  ),
  tenant.get(
    '/accounts/{accountId}',
    'Get an account with its identity and the values of its source record',
    shown.accountDetails,
  ),
  tenant.get('/attribute-priorities', 'Get the source precedence by field', attributePriorities),
  replacement(
    '/attribute-priorities',
    "Replace the source precedence by field; other fields follow the connectors' priorities",
    { body: attributePriorities },
  ),
  tenant.get('/operations', 'List operations, the newest first', shown.operationPage, { query: page }),
  tenant.get('/operations/{operationId}', 'Get one operation', shown.operation),
  tenant.get(
    '/operations/{operationId}/items',
    'List the people in the result of an operation',
    shown.operationItemPage,
    {
      query: [
        ...page,
        choice(
          'list',
          'The list of the result; it has at most 5000 items, and the counts of the result include all.',
          resultLists,
          'joined',
        ),
      ],
    },
  ),
  operation('/operations/{operationId}/revert', 'Revert a merge, a split or a resolved case', {
    body: requests.reasonBody,
    bodyOptional: true,
  }),
  operation('/operations/{operationId}/confirm', 'Perform an operation that is held because people lose access by it', {
    body: requests.confirmBody,
    fourEyes: true,
  }),
];

/** Defines a probe. The sync-worker runs it; the request waits for the result for a bounded time. */
function probe(kind: 'test' | 'discover', summary: string): RouteDefinition {
  return tenant.post(`/connectors/{connectorId}/${kind}`, summary, shown.connectorProbe, {
    mayTakeLonger: true,
    description:
      'Returns 202 with the same body and the status queued if the sync-worker takes longer than 22 seconds.',
  });
}

type More = Pick<Parameters<typeof tenant.post>[3] & object, 'body' | 'bodyOptional' | 'fourEyes'>;

/** Defines an operation. The directory runs it; the request waits for the result for a bounded time. */
export function operation(path: string, summary: string, more: More): RouteDefinition {
  return tenant.post(path, summary, shown.operation, { ...queuedOrHeld(), ...more });
}

/** Defines an operation that replaces rules, and needs a second operator. */
function replacement(path: string, summary: string, more: More): RouteDefinition {
  return tenant.put(path, summary, shown.operation, { ...queuedOrHeld(), ...more, fourEyes: true });
}

function queuedOrHeld() {
  const description =
    'Returns 202 with the same body and the status queued if the directory takes longer than ten seconds, or held if too many people would lose access.';
  return { mayTakeLonger: true, description };
}
