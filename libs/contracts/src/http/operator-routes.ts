import type { z } from 'zod';
import { attributePriorities } from '../attribute-priorities.js';
import { connectorBody } from '../connector-config.js';
import { lifecyclePolicy } from '../lifecycle-policy.js';
import { matchingRules } from '../matching-rules.js';
import { caseStatuses, resultLists } from '../operations.js';
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
import { at, created, ok, operator, page, type RouteDefinition, tenantPath, withFourEyes } from './route.js';

/** Routes of the operator interface. */
export const operatorRoutes: RouteDefinition[] = [
  operator('POST', '/admin/v1/tenants', 'Create a tenant', created(shown.tenant), requests.tenantBody),
  operator('GET', '/admin/v1/tenants', 'List tenants', ok(shown.tenantPage), undefined, page),
  operator('GET', tenantPath, 'Get one tenant', ok(shown.tenant)),
  operator('PATCH', tenantPath, 'Rename, suspend or resume a tenant', ok(shown.tenant), requests.tenantPatch),
  operator('GET', `${tenantPath}/export`, 'Export all data of a tenant, without secrets, from one snapshot', {
    status: 200,
    schema: shown.tenantExport,
    type: 'application/x-ndjson',
  }),
  operator(
    'GET',
    `${tenantPath}/deletion`,
    'Count what a deletion of the tenant removes, and show its progress',
    ok(shown.tenantDeletion),
  ),
  withFourEyes(
    operator(
      'POST',
      `${tenantPath}/deletion`,
      'Delete a tenant with all its data; this cannot be undone',
      { status: 202, schema: shown.tenantDeletion },
      requests.tenantDeletionBody,
    ),
  ),
  operator('POST', `${tenantPath}/api-keys`, 'Issue an API key', created(shown.createdApiKey), requests.apiKeyBody),
  operator('GET', `${tenantPath}/api-keys`, 'List API keys', ok(shown.apiKeyPage), undefined, page),
  operator(
    'PATCH',
    `${tenantPath}/api-keys/{keyId}`,
    'Change the name, scopes or expiry of an API key; its secret stays',
    ok(shown.apiKey),
    requests.apiKeyPatch,
  ),
  operator('DELETE', `${tenantPath}/api-keys/{keyId}`, 'Revoke an API key', { status: 204 }),
  operator('POST', `${tenantPath}/connectors`, 'Create a connector', created(shown.connector), connectorBody),
  operator('GET', `${tenantPath}/connectors`, 'List connectors', ok(shown.connectorPage), undefined, page),
  operator('GET', `${tenantPath}/connectors/{connectorId}`, 'Get one connector', ok(shown.connector)),
  withFourEyes({
    ...operator(
      'PATCH',
      `${tenantPath}/connectors/{connectorId}`,
      'Update a connector; given fields replace the stored ones',
      ok(shown.changedConnector),
      requests.connectorPatch,
    ),
    mayTakeLonger: true,
    description:
      'A changed priority, or a mapping that gains or loses the dates of employments, is stored by an operation that computes all people again: returns 202 with the stored values if it is queued or held.',
  }),
  operator(
    'GET',
    `${tenantPath}/connectors/{connectorId}/errors`,
    'List the failing records of a connector; a record is removed when it succeeds',
    ok(shown.failingRecordPage),
    undefined,
    page,
  ),
  operator(
    'GET',
    `${tenantPath}/connectors/{connectorId}/deletion`,
    'Count the live records that a deletion of the connector would leave in the directory',
    ok(shown.connectorDeletion),
  ),
  operator(
    'DELETE',
    `${tenantPath}/connectors/{connectorId}`,
    'Delete a connector, and keep, retire or hand over its records',
    { status: 204 },
    undefined,
    [
      {
        name: 'records',
        description:
          'keep: they stay as they are | retire: a job deletes them under the deletion safeguard | hand_over: they become records of the connector `to`. With four eyes only keep; retiring or handing over the records of the deleted connector then needs a second operator.',
        schema: { type: 'string', enum: [...requests.recordsOfDeleted], default: 'keep' },
      },
      {
        name: 'to',
        description: 'With hand_over: id of the connector that takes the records.',
        schema: { type: 'string' },
      },
    ],
  ),
  operator(
    'GET',
    `${tenantPath}/deleted-connectors`,
    'List deleted connectors, those deleted last first',
    ok(shown.deletedConnectorPage),
    undefined,
    page,
  ),
  operator(
    'GET',
    `${tenantPath}/deleted-connectors/{connectorId}`,
    'Get one deleted connector',
    ok(shown.deletedConnector),
  ),
  withFourEyes(
    operator(
      'POST',
      `${tenantPath}/deleted-connectors/{connectorId}/retire`,
      'Start a job that deletes the records of a deleted connector, under its deletion safeguard',
      { status: 202, schema: resources.syncJobReference },
    ),
  ),
  withFourEyes(
    operation(
      'POST',
      `${tenantPath}/deleted-connectors/{connectorId}/hand-over`,
      'Give the records of a deleted connector to another connector',
      requests.handOverBody,
    ),
  ),
  operator(
    'POST',
    `${tenantPath}/connectors/{connectorId}/tokens`,
    'Issue a token for an identity provider that pushes to a connector',
    created(shown.createdConnectorToken),
    requests.connectorTokenBody,
  ),
  operator(
    'GET',
    `${tenantPath}/connectors/{connectorId}/tokens`,
    'List the tokens of a connector',
    ok(shown.connectorTokenPage),
    undefined,
    page,
  ),
  operator('DELETE', `${tenantPath}/connectors/{connectorId}/tokens/{tokenId}`, 'Revoke a token', { status: 204 }),
  probe('test', 'Read the first records of a source without changes'),
  probe('discover', 'List the fields of a source, for the mapping'),
  operator(
    'GET',
    `${tenantPath}/connectors/{connectorId}/probes/{probeId}`,
    'Get the result of a test or discovery',
    ok(shown.connectorProbe),
  ),
  {
    ...operator(
      'POST',
      `${tenantPath}/connectors/{connectorId}/records/{externalId}/sync`,
      'Read one record of a source now and apply it; its id is percent-encoded',
      ok(shown.operatorJobWithErrors),
    ),
    mayTakeLonger: true,
    description:
      'Returns 200 with the job when it has ended or is quarantined, and 202 with its current state if that takes longer than ten seconds. 400 if connectors of this type cannot read a single record.',
  },
  operator(
    'POST',
    `${tenantPath}/sync-jobs`,
    'Trigger a sync job, or a dry run that only stores its plan',
    { status: 202, schema: resources.syncJobReference },
    requests.operatorTriggerBody,
  ),
  operator('GET', `${tenantPath}/sync-jobs`, 'List sync jobs', ok(shown.operatorJobPage), undefined, [
    ...page,
    { name: 'connector_id', description: 'Only jobs of this connector.', schema: { type: 'string' } },
    { name: 'status', description: 'Only jobs in this status.', schema: { type: 'string' } },
  ]),
  operator(
    'GET',
    `${tenantPath}/sync-jobs/{jobId}`,
    'Get one sync job, with the records that were left out',
    ok(shown.operatorJobWithErrors),
  ),
  {
    ...operator(
      'POST',
      `${tenantPath}/sync-jobs/{jobId}/cancel`,
      'Cancel a sync job; a quarantined one needs a reason',
      { status: 202, schema: resources.syncJobReference },
      requests.cancelBody,
    ),
    bodyOptional: true,
  },
  operator(
    'GET',
    `${tenantPath}/sync-jobs/{jobId}/plan`,
    'Get the plan of a job: changes and deletions that it did not apply at once, in their order',
    ok(shown.syncPlan),
    undefined,
    [
      ...page,
      {
        name: 'action',
        description: 'Only changes of this kind.',
        schema: { type: 'string', enum: ['create', 'update', 'disable', 'delete'] },
      },
      {
        name: 'external_id',
        description: 'Only records whose external id contains this text; case is ignored.',
        schema: { type: 'string', maxLength: 512 },
      },
    ],
  ),
  withFourEyes(
    operator(
      'POST',
      `${tenantPath}/sync-jobs/{jobId}/release`,
      'Release a quarantined job, for this run only',
      { status: 202, schema: resources.syncJobReference },
      requests.releaseBody,
    ),
  ),
  withFourEyes({
    ...operation(
      'POST',
      `${tenantPath}/sync-jobs/{jobId}/apply`,
      'Apply exactly the plan of a dry run; refused if the directory has changed since',
      requests.reasonBody,
    ),
    bodyOptional: true,
  }),
  withFourEyes({
    ...operation(
      'POST',
      `${tenantPath}/sync-jobs/{jobId}/undo`,
      'Undo the changes of a job, except where data has changed since; or preview this',
      requests.undoBody,
    ),
    bodyOptional: true,
  }),
  operator('GET', `${tenantPath}/cases`, 'List review cases, the oldest first', ok(shown.reviewCasePage), undefined, [
    ...page,
    {
      name: 'status',
      description: 'Only this status.',
      schema: { type: 'string', enum: [...caseStatuses], default: 'open' },
    },
  ]),
  operator('GET', `${tenantPath}/cases/{caseId}`, 'Get one review case', ok(shown.reviewCase)),
  operation('POST', `${tenantPath}/cases/{caseId}/resolve`, 'Resolve a review case', requests.resolveBody),
  operator(
    'GET',
    `${tenantPath}/identities`,
    'List or find identities, as a client of the tenant sees them',
    ok(resources.identityPage),
    undefined,
    directoryParameters,
  ),
  operator('GET', `${tenantPath}/users`, 'List or find users', ok(resources.userPage), undefined, directoryParameters),
  operator('GET', `${tenantPath}/groups`, 'List groups', ok(resources.groupPage), undefined, groupParameters),
  operator(
    'GET',
    `${tenantPath}/accounts`,
    'List or find accounts',
    ok(resources.accountPage),
    undefined,
    accountParameters,
  ),
  operator(
    'GET',
    `${tenantPath}/machine-identities`,
    'List or find machine identities',
    ok(shown.operatorMachineIdentityPage),
    undefined,
    machineParameters,
  ),
  operator(
    'GET',
    `${tenantPath}/identities/{identityId}`,
    'Get one identity, as a client of the tenant sees it',
    ok(resources.identity),
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
    'Split some of its records off into a new identity',
    requests.splitBody,
  ),
  withFourEyes({
    ...operation(
      'POST',
      `${tenantPath}/identities/{identityId}/erase`,
      'Permanently erase all data of one person, and leave the person out of later runs',
      requests.eraseBody,
    ),
    bodyOptional: true,
  }),
  operator(
    'GET',
    `${tenantPath}/suppressions`,
    'List the erased people who are left out of runs, the newest first',
    ok(shown.suppressionPage),
    undefined,
    page,
  ),
  operator('GET', `${tenantPath}/suppressions/{suppressionId}`, 'Get one suppression', ok(shown.suppression)),
  operator(
    'DELETE',
    `${tenantPath}/suppressions/{suppressionId}`,
    'Lift a suppression; the next full run may create the person again',
    { status: 204 },
  ),
  operator('GET', `${tenantPath}/lifecycle-policy`, 'Get the rules for dates and leavers', ok(lifecyclePolicy)),
  withFourEyes(
    operation(
      'PUT',
      `${tenantPath}/lifecycle-policy`,
      'Replace the rules for dates and leavers and compute all statuses again',
      lifecyclePolicy,
    ),
  ),
  operator('GET', `${tenantPath}/matching-rules`, 'Get the matching rules', ok(matchingRules)),
  withFourEyes(
    operation(
      'PUT',
      `${tenantPath}/matching-rules`,
      'Change the matching rules and match all records again',
      matchingRules,
    ),
  ),
  operation(
    'POST',
    `${tenantPath}/matching-rules/preview`,
    'Preview which identities these rules would merge and split',
    matchingRules,
  ),
  operator(
    'GET',
    `${tenantPath}/identities/{identityId}/history`,
    'Lifecycle history of an identity, as a client of the tenant sees it',
    ok(resources.historyPage),
    undefined,
    [...page, updatedSince, cursor],
  ),
  operator(
    'GET',
    `${tenantPath}/identities/{identityId}/explain`,
    'Explain for each field of an identity which source won, over which others, and why',
    ok(shown.explanation),
  ),
  operator(
    'GET',
    `${tenantPath}/machine-identities/{machineId}`,
    'Get the people of a machine identity, and the factors of its risk score',
    ok(shown.machineIdentityDetails),
  ),
  operator(
    'GET',
    `${tenantPath}/accounts/{accountId}`,
    'Get an account with its identity and the values of its source record',
    ok(shown.accountDetails),
  ),
  operator('GET', `${tenantPath}/attribute-priorities`, 'Get the source precedence by field', ok(attributePriorities)),
  withFourEyes(
    operation(
      'PUT',
      `${tenantPath}/attribute-priorities`,
      "Replace the source precedence by field; other fields follow the connectors' priorities",
      attributePriorities,
    ),
  ),
  operator(
    'GET',
    `${tenantPath}/operations`,
    'List operations, the newest first',
    ok(shown.operationPage),
    undefined,
    page,
  ),
  operator('GET', `${tenantPath}/operations/{operationId}`, 'Get one operation', ok(shown.operation)),
  operator(
    'GET',
    `${tenantPath}/operations/{operationId}/items`,
    'List the people in the result of an operation',
    ok(shown.operationItemPage),
    undefined,
    [
      ...page,
      {
        name: 'list',
        description: 'The list of the result; it has at most 5000 items, and the counts of the result include all.',
        schema: { type: 'string', enum: [...resultLists], default: 'joined' },
      },
    ],
  ),
  {
    ...operation(
      'POST',
      `${tenantPath}/operations/{operationId}/revert`,
      'Revert a merge, a split or a resolved case',
      requests.reasonBody,
    ),
    bodyOptional: true,
  },
  withFourEyes(
    operation(
      'POST',
      `${tenantPath}/operations/{operationId}/confirm`,
      'Perform an operation that is held because people lose access by it',
      requests.confirmBody,
    ),
  ),
];

/** Defines a probe. The sync-worker runs it; the request waits for the result for a bounded time. */
function probe(kind: 'test' | 'discover', summary: string): RouteDefinition {
  const path = `${tenantPath}/connectors/{connectorId}/${kind}`;
  return {
    ...operator('POST', path, summary, ok(shown.connectorProbe)),
    mayTakeLonger: true,
    description:
      'Returns 202 with the same body and the status queued if the sync-worker takes longer than 22 seconds.',
  };
}

/** Defines an operation. The directory runs it; the request waits for the result for a bounded time. */
export function operation(
  method: RouteDefinition['method'],
  path: string,
  summary: string,
  body: z.ZodType,
): RouteDefinition {
  return {
    ...operator(method, path, summary, ok(shown.operation), body),
    mayTakeLonger: true,
    description:
      'Returns 202 with the same body and the status queued if the directory takes longer than ten seconds, or held if too many people would lose access.',
  };
}
