import type { z } from 'zod';
import { attributePriorities } from '../attribute-priorities.js';
import { connectorBody } from '../connector-config.js';
import { matchingRules } from '../matching-rules.js';
import { caseStatuses } from '../operations.js';
import * as shown from './operator-resources.js';
import * as requests from './requests.js';
import * as resources from './resources.js';
import { at, created, ok, operator, page, type RouteDefinition, tenantPath } from './route.js';

/** What operators call. */
export const operatorRoutes: RouteDefinition[] = [
  operator('POST', '/admin/v1/tenants', 'Create a tenant', created(shown.tenant), [400], requests.tenantBody),
  operator('GET', '/admin/v1/tenants', 'List tenants', ok(shown.tenantPage), [400], undefined, page),
  operator('GET', tenantPath, 'Get one tenant', ok(shown.tenant), [404]),
  operator(
    'POST',
    `${tenantPath}/api-keys`,
    'Issue an API key',
    created(shown.createdApiKey),
    [400, 404],
    requests.apiKeyBody,
  ),
  operator('GET', `${tenantPath}/api-keys`, 'List API keys', ok(shown.apiKeyPage), [400, 404], undefined, page),
  operator('DELETE', `${tenantPath}/api-keys/{keyId}`, 'Revoke an API key', { status: 204 }, [404]),
  operator(
    'POST',
    `${tenantPath}/connectors`,
    'Create a connector',
    created(shown.connector),
    [400, 404],
    connectorBody,
  ),
  operator('GET', `${tenantPath}/connectors`, 'List connectors', ok(shown.connectorPage), [400, 404], undefined, page),
  operator('GET', `${tenantPath}/connectors/{connectorId}`, 'Get one connector', ok(shown.connector), [404]),
  operator(
    'PATCH',
    `${tenantPath}/connectors/{connectorId}`,
    'Update a connector; the fields given replace its own',
    ok(shown.connector),
    [400, 404],
    requests.connectorPatch,
  ),
  operator(
    'GET',
    `${tenantPath}/connectors/{connectorId}/errors`,
    'List the records of a connector that cannot be used as they are; one that succeeds is gone from it',
    ok(shown.failingRecordPage),
    [400, 404],
    undefined,
    page,
  ),
  operator('DELETE', `${tenantPath}/connectors/{connectorId}`, 'Delete a connector', { status: 204 }, [404]),
  operator(
    'POST',
    `${tenantPath}/connectors/{connectorId}/tokens`,
    'Issue a token for an identity provider that pushes to a connector',
    created(shown.createdConnectorToken),
    [400, 404],
    requests.connectorTokenBody,
  ),
  operator(
    'GET',
    `${tenantPath}/connectors/{connectorId}/tokens`,
    'List the tokens of a connector',
    ok(shown.connectorTokenPage),
    [400, 404],
    undefined,
    page,
  ),
  operator(
    'DELETE',
    `${tenantPath}/connectors/{connectorId}/tokens/{tokenId}`,
    'Revoke a token',
    { status: 204 },
    [404],
  ),
  probe('test', 'Read the first records of a source, and change nothing'),
  probe('discover', 'Tell what a source has to map'),
  operator(
    'GET',
    `${tenantPath}/connectors/{connectorId}/probes/{probeId}`,
    'Get what came of a test or a discovery',
    ok(shown.connectorProbe),
    [404],
  ),
  {
    ...operator(
      'POST',
      `${tenantPath}/connectors/{connectorId}/records/{externalId}/sync`,
      'Read one record of a source now, and apply it; its id is percent-encoded',
      ok(shown.operatorJobWithErrors),
      [400, 404],
    ),
    description:
      'Answers 200 with the job that has ended or waits for a decision, and 202 with the job as it is if that takes longer than ten seconds. 400 if connectors of this kind cannot read one record alone.',
  },
  operator(
    'POST',
    `${tenantPath}/sync-jobs`,
    'Trigger a sync job, or a dry run that only writes its plan',
    { status: 202, schema: resources.syncJobReference },
    [400, 404],
    requests.operatorTriggerBody,
  ),
  operator('GET', `${tenantPath}/sync-jobs`, 'List sync jobs', ok(shown.operatorJobPage), [400, 404], undefined, [
    ...page,
    { name: 'connector_id', description: 'Only jobs of this connector.', schema: { type: 'string' } },
    { name: 'status', description: 'Only jobs in this status.', schema: { type: 'string' } },
  ]),
  operator(
    'GET',
    `${tenantPath}/sync-jobs/{jobId}`,
    'Get one sync job, with the records it could not use',
    ok(shown.operatorJobWithErrors),
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
    ok(shown.syncPlan),
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
    ok(shown.reviewCasePage),
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
  operator('GET', `${tenantPath}/cases/{caseId}`, 'Get one review case', ok(shown.reviewCase), [404]),
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
    ok(shown.explanation),
    [404],
  ),
  operator(
    'GET',
    `${tenantPath}/machine-identities/{machineId}`,
    'Tell whose a machine identity is, and what its risk score is made of',
    ok(shown.machineIdentityDetails),
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
    ok(shown.operationPage),
    [400, 404],
    undefined,
    page,
  ),
  operator('GET', `${tenantPath}/operations/{operationId}`, 'Get one operation', ok(shown.operation), [404]),
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

/** What the directory does for an operator; it is waited for, but not for ever. */
/** Answered when the sync-worker has done it; 202 if that takes longer, or nobody is there to do it. */
function probe(kind: 'test' | 'discover', summary: string): RouteDefinition {
  const path = `${tenantPath}/connectors/{connectorId}/${kind}`;
  return operator('POST', path, summary, ok(shown.connectorProbe), [404]);
}

function operation(method: RouteDefinition['method'], path: string, summary: string, body: z.ZodType): RouteDefinition {
  return {
    ...operator(method, path, summary, ok(shown.operation), [400, 404], body),
    description:
      'Answers 202 with the same body, its status still queued, if the directory takes longer than ten seconds.',
  };
}
