import { attributePriorities } from '../attribute-priorities.js';
import { connectorBody } from '../connector-config.js';
import { lifecyclePolicy } from '../lifecycle-policy.js';
import { matchingRules } from '../matching-rules.js';
import * as shown from './operator-resources.js';
import * as requests from './requests.js';
import * as resources from './resources.js';
import {
  accepted,
  actions,
  created,
  installation,
  noContent,
  operators,
  queuedOrHeld,
  tenant,
  wholeInstallation,
} from './route.js';

const queued = accepted(resources.syncJobReference);

/** The sync-worker probes a source; the request waits for the result for a bounded time. */
const probe = {
  mayTakeLonger: true,
  description: 'Returns 202 with the same body and the status queued if the sync-worker takes longer than 22 seconds.',
} as const;

/** Routes of the operator interface. */
export const operatorRoutes = actions({
  createTenant: wholeInstallation.post('/tenants', 'Create a tenant', created(shown.tenant), {
    body: requests.tenantBody,
  }),
  listTenants: installation.get('/tenants', 'List tenants', shown.tenantPage, { query: requests.pageQuery }),
  getTenant: tenant.get('', 'Get one tenant', shown.tenant),
  updateTenant: tenant.patch('', 'Rename, suspend or resume a tenant', shown.tenant, {
    body: requests.tenantPatch,
    forAllTenants: true,
  }),
  exportTenant: tenant.get(
    '/export',
    'Export all data of a tenant, without secrets, from one snapshot',
    {
      status: 200,
      schema: shown.tenantExport,
      type: 'application/x-ndjson',
    },
    { role: 'admin', query: requests.exportQuery },
  ),
  getTenantDeletion: tenant.get(
    '/deletion',
    'Count what a deletion of the tenant removes, and show its progress',
    shown.tenantDeletion,
  ),
  deleteTenant: tenant.post(
    '/deletion',
    'Delete a tenant with all its data; this cannot be undone',
    accepted(shown.tenantDeletion),
    { forAllTenants: true, body: requests.tenantDeletionBody, fourEyes: true },
  ),
  createApiKey: tenant.post('/api-keys', 'Issue an API key', created(shown.createdApiKey), {
    body: requests.apiKeyBody,
  }),
  listApiKeys: tenant.get('/api-keys', 'List API keys', shown.apiKeyPage, { query: requests.pageQuery }),
  getApiKey: tenant.get('/api-keys/{keyId}', 'Get one API key', shown.apiKey),
  updateApiKey: tenant.patch(
    '/api-keys/{keyId}',
    'Change the name, scopes or expiry of an API key; its secret stays',
    shown.apiKey,
    { body: requests.apiKeyPatch },
  ),
  deleteApiKey: tenant.del('/api-keys/{keyId}', 'Revoke an API key', noContent),
  createConnector: tenant.post('/connectors', 'Create a connector', created(shown.connector), { body: connectorBody }),
  listConnectors: tenant.get('/connectors', 'List connectors', shown.connectorPage, { query: requests.pageQuery }),
  getConnector: tenant.get('/connectors/{connectorId}', 'Get one connector', shown.connector),
  updateConnector: tenant.patch(
    '/connectors/{connectorId}',
    'Update a connector; given fields replace the stored ones',
    shown.changedConnector,
    {
      body: requests.connectorPatch,
      bodyUnchecked: true,
      mayTakeLonger: true,
      fourEyes: true,
      description:
        'A changed priority, or a mapping that gains or loses the dates of employments, is stored by an operation that computes all people again: returns 202 with the stored values if it is queued or held.',
    },
  ),
  listConnectorErrors: tenant.get(
    '/connectors/{connectorId}/errors',
    'List the failing records of a connector; a record is removed when it succeeds',
    shown.failingRecordPage,
    { query: requests.pageQuery },
  ),
  getConnectorDeletion: tenant.get(
    '/connectors/{connectorId}/deletion',
    'Count the live records that a deletion of the connector would leave in the directory',
    shown.connectorDeletion,
  ),
  deleteConnector: tenant.del(
    '/connectors/{connectorId}',
    'Delete a connector, and keep, retire or hand over its records',
    noContent,
    { query: requests.connectorDeletionQuery },
  ),
  listDeletedConnectors: tenant.get(
    '/deleted-connectors',
    'List deleted connectors, those deleted last first',
    shown.deletedConnectorPage,
    { query: requests.pageQuery },
  ),
  getDeletedConnector: tenant.get(
    '/deleted-connectors/{connectorId}',
    'Get one deleted connector',
    shown.deletedConnector,
  ),
  retireDeletedConnector: tenant.post(
    '/deleted-connectors/{connectorId}/retire',
    'Start a job that deletes the records of a deleted connector, under its deletion safeguard',
    queued,
    { fourEyes: true },
  ),
  handDeletedConnectorOver: tenant.post(
    '/deleted-connectors/{connectorId}/hand-over',
    'Give the records of a deleted connector to another connector',
    shown.operation,
    { ...queuedOrHeld, body: requests.handOverBody, fourEyes: true },
  ),
  createConnectorToken: tenant.post(
    '/connectors/{connectorId}/tokens',
    'Issue a token for an identity provider that pushes to a connector',
    created(shown.createdConnectorToken),
    { body: requests.connectorTokenBody },
  ),
  listConnectorTokens: tenant.get(
    '/connectors/{connectorId}/tokens',
    'List the tokens of a connector',
    shown.connectorTokenPage,
    { query: requests.pageQuery },
  ),
  deleteConnectorToken: tenant.del('/connectors/{connectorId}/tokens/{tokenId}', 'Revoke a token', noContent),
  testConnector: operators.post(
    '/connectors/{connectorId}/test',
    'Read the first records of a source without changes',
    shown.connectorProbe,
    probe,
  ),
  discoverConnector: operators.post(
    '/connectors/{connectorId}/discover',
    'List the fields of a source, for the mapping',
    shown.connectorProbe,
    probe,
  ),
  getConnectorProbe: tenant.get(
    '/connectors/{connectorId}/probes/{probeId}',
    'Get the result of a test or discovery',
    shown.connectorProbe,
  ),
  syncConnectorRecord: operators.post(
    '/connectors/{connectorId}/records/{externalId}/sync',
    'Read one record of a source now and apply it; its id is percent-encoded',
    shown.operatorJobWithErrors,
    {
      mayTakeLonger: true,
      description:
        'Returns 200 with the job when it has ended or is quarantined, and 202 with its current state if that takes longer than ten seconds. 400 if connectors of this type cannot read a single record.',
    },
  ),
  createSyncJob: operators.post('/sync-jobs', 'Trigger a sync job, or a dry run that only stores its plan', queued, {
    body: requests.operatorTriggerBody,
  }),
  listSyncJobs: tenant.get('/sync-jobs', 'List sync jobs', shown.operatorJobPage, { query: requests.operatorJobQuery }),
  getSyncJob: tenant.get(
    '/sync-jobs/{jobId}',
    'Get one sync job, with the records that were left out',
    shown.operatorJobWithErrors,
  ),
  cancelSyncJob: operators.post(
    '/sync-jobs/{jobId}/cancel',
    'Cancel a sync job; a quarantined one needs a reason',
    queued,
    {
      body: requests.cancelBody,
      bodyOptional: true,
    },
  ),
  getSyncJobPlan: tenant.get(
    '/sync-jobs/{jobId}/plan',
    'Get the plan of a job: changes and deletions that it did not apply at once, in their order',
    shown.syncPlan,
    { query: requests.planQuery },
  ),
  releaseSyncJob: operators.post('/sync-jobs/{jobId}/release', 'Release a quarantined job, for this run only', queued, {
    body: requests.releaseBody,
    fourEyes: true,
  }),
  applySyncJob: operators.post(
    '/sync-jobs/{jobId}/apply',
    'Apply exactly the plan of a dry run; refused if the directory has changed since',
    shown.operation,
    { ...queuedOrHeld, body: requests.reasonBody, bodyOptional: true, fourEyes: true },
  ),
  undoSyncJob: operators.post(
    '/sync-jobs/{jobId}/undo',
    'Undo the changes of a job, except where data has changed since; or preview this',
    shown.operation,
    { ...queuedOrHeld, body: requests.undoBody, bodyOptional: true, fourEyes: true },
  ),
  listCases: tenant.get('/cases', 'List review cases, the oldest first', shown.reviewCasePage, {
    query: requests.caseQuery,
  }),
  getCase: tenant.get('/cases/{caseId}', 'Get one review case', shown.reviewCase, { readsPeople: true }),
  resolveCase: operators.post('/cases/{caseId}/resolve', 'Resolve a review case', shown.operation, {
    ...queuedOrHeld,
    body: requests.resolveBody,
  }),
  listIdentities: tenant.get(
    '/identities',
    'List or find identities, as a client of the tenant sees them',
    resources.identityPage,
    { readsPeople: true, query: requests.directoryQuery },
  ),
  listUsers: tenant.get('/users', 'List or find users', resources.userPage, {
    readsPeople: true,
    query: requests.directoryQuery,
  }),
  listGroups: tenant.get('/groups', 'List groups', resources.groupPage, { query: requests.groupQuery }),
  listAccounts: tenant.get('/accounts', 'List or find accounts', resources.accountPage, {
    readsPeople: true,
    query: requests.accountQuery,
  }),
  listMachineIdentities: tenant.get(
    '/machine-identities',
    'List or find machine identities',
    shown.operatorMachineIdentityPage,
    { readsPeople: true, query: requests.machineQuery },
  ),
  getIdentity: tenant.get(
    '/identities/{identityId}',
    'Get one identity, as a client of the tenant sees it',
    resources.identity,
    { readsPeople: true, query: requests.identityQuery },
  ),
  mergeIdentity: operators.post(
    '/identities/{identityId}/merge',
    'Merge other identities into this one',
    shown.operation,
    { ...queuedOrHeld, body: requests.mergeBody },
  ),
  splitIdentity: operators.post(
    '/identities/{identityId}/split',
    'Split some of its records off into a new identity',
    shown.operation,
    { ...queuedOrHeld, body: requests.splitBody },
  ),
  eraseIdentity: tenant.post(
    '/identities/{identityId}/erase',
    'Permanently erase all data of one person, and leave the person out of later runs',
    shown.operation,
    { ...queuedOrHeld, body: requests.eraseBody, bodyOptional: true, fourEyes: true },
  ),
  listSuppressions: tenant.get(
    '/suppressions',
    'List the erased people who are left out of runs, the newest first',
    shown.suppressionPage,
    { query: requests.pageQuery },
  ),
  getSuppression: tenant.get('/suppressions/{suppressionId}', 'Get one suppression', shown.suppression),
  deleteSuppression: tenant.del(
    '/suppressions/{suppressionId}',
    'Lift a suppression; the next full run may create the person again',
    noContent,
  ),
  getLifecyclePolicy: tenant.get('/lifecycle-policy', 'Get the rules for dates and leavers', lifecyclePolicy),
  replaceLifecyclePolicy: tenant.put(
    '/lifecycle-policy',
    'Replace the rules for dates and leavers and compute all statuses again',
    shown.operation,
    { ...queuedOrHeld, fourEyes: true, body: lifecyclePolicy },
  ),
  getMatchingRules: tenant.get('/matching-rules', 'Get the matching rules', matchingRules),
  replaceMatchingRules: tenant.put(
    '/matching-rules',
    'Change the matching rules and match all records again',
    shown.operation,
    { ...queuedOrHeld, fourEyes: true, body: matchingRules },
  ),
  previewMatchingRules: operators.post(
    '/matching-rules/preview',
    'Preview which identities these rules would merge and split',
    shown.operation,
    { ...queuedOrHeld, body: matchingRules },
  ),
  listIdentityHistory: tenant.get(
    '/identities/{identityId}/history',
    'Lifecycle history of an identity, as a client of the tenant sees it',
    resources.historyPage,
    { readsPeople: true, query: requests.historyQuery },
  ),
  explainIdentity: tenant.get(
    '/identities/{identityId}/explain',
    'Explain for each field of an identity which source won, over which others, and why',
    shown.explanation,
    { readsPeople: true },
  ),
  getMachineIdentity: tenant.get(
    '/machine-identities/{machineId}',
    'Get the people of a machine identity, and the factors of its risk score',
    shown.machineIdentityDetails,
    { readsPeople: true },
  ),
  getAccount: tenant.get(
    '/accounts/{accountId}',
    'Get an account with its identity and the values of its source record',
    shown.accountDetails,
    { readsPeople: true },
  ),
  getAttributePriorities: tenant.get(
    '/attribute-priorities',
    'Get the source precedence by field',
    attributePriorities,
  ),
  replaceAttributePriorities: tenant.put(
    '/attribute-priorities',
    "Replace the source precedence by field; other fields follow the connectors' priorities",
    shown.operation,
    { ...queuedOrHeld, fourEyes: true, body: attributePriorities },
  ),
  listOperations: tenant.get('/operations', 'List operations, the newest first', shown.operationPage, {
    query: requests.pageQuery,
  }),
  getOperation: tenant.get('/operations/{operationId}', 'Get one operation', shown.operation),
  listOperationItems: tenant.get(
    '/operations/{operationId}/items',
    'List the people in the result of an operation',
    shown.operationItemPage,
    { query: requests.operationItemQuery },
  ),
  revertOperation: operators.post(
    '/operations/{operationId}/revert',
    'Revert a merge, a split or a resolved case',
    shown.operation,
    { ...queuedOrHeld, body: requests.reasonBody, bodyOptional: true },
  ),
  cancelOperation: tenant.post(
    '/operations/{operationId}/cancel',
    'Stop a running operation; what it has changed stays',
    shown.operation,
    { ...queuedOrHeld, body: requests.reasonBody, bodyOptional: true },
  ),
  confirmOperation: tenant.post(
    '/operations/{operationId}/confirm',
    'Perform an operation that is held because people lose access by it',
    shown.operation,
    { ...queuedOrHeld, body: requests.confirmBody, fourEyes: true },
  ),
});
