export { createDatabase, databaseUrl, dropDatabase } from './create-database.js';
export { Database, type DatabaseOptions, type NamedQuery, type Transaction, waitForLocksAtMost } from './database.js';
export { describeSchema } from './describe-schema.js';
export {
  type AttributePriority,
  findAttributePriorities,
  saveAttributePriorities,
} from './directory/attribute-priorities.js';
export {
  type ConnectorFacts,
  findBatch,
  findConnectors,
  findJobState,
  findOvertaken,
  findSafeguard,
  findUnfinishedJobs,
  isConnectorBusy,
  type JobState,
  keepFromCancelling,
  type ReadyBatch,
} from './directory/batch.js';
export {
  assignKeys,
  type ContestedKey,
  type CorrelationKey,
  clearKeys,
  findContestants,
  findContestedKeysOf,
  findWaitingRecords,
  type HeldKey,
  lockKeys,
  releaseKeys,
  saveContests,
  setWaiting,
  type WantedKey,
} from './directory/correlation-keys.js';
export { addToCounters, type CounterChange } from './directory/counters.js';
export { findDueRecords, findTenantIds, lockDueRecords, purgeErasedIdentities } from './directory/due-records.js';
export { forgetRecordErrors } from './directory/forget-errors.js';
export { forgetPerson } from './directory/forget-person.js';
export {
  buryIdentities,
  findRedirects,
  lockIdentities,
  redirectIdentities,
  removeIdentities,
  restoreIdentities,
  type StoredIdentity,
  saveIdentities,
} from './directory/identities.js';
export { keepVersions } from './directory/identity-versions.js';
export {
  findKeyHolders,
  findMachinesNaming,
  findReferences,
  findReferrers,
  findUsersByExternalId,
  lockReferences,
  type MachineNaming,
  type StoredReference,
  saveReferences,
} from './directory/machine-references.js';
export { findMatchingRules, saveMatchingRules } from './directory/matching-rules.js';
export {
  endOperation,
  lockOperation,
  markReverted,
  type Operation,
  takeUnansweredOperations,
} from './directory/operations.js';
export {
  addPlanEntries,
  countDoneDeletions,
  countEntries,
  countKnownBefore,
  countRecentHarm,
  countRemovals,
  dropEntries,
  dropRemovals,
  findOpenEntries,
  findOutdatedEntries,
  lockPlan,
  markEntriesDone,
  openPlan,
  type PlanEntry,
  planDeletions,
  planRemoved,
  type SyncPlan,
  savePlan,
} from './directory/plans.js';
export {
  compareAnchors,
  deleteRecords,
  findRecordIds,
  findRecordsLastChangedBy,
  findRecordsWithUsers,
  insertRecords,
  lockRecordsByAnchor,
  lockRecordsById,
  lockRecordsOfIdentities,
  type MachineState,
  type StoredRecord,
  updateRecords,
} from './directory/records.js';
export {
  type CaseCandidate,
  closeCase,
  findNewestCases,
  lockCase,
  type ReviewCase,
  saveCases,
  settleCases,
} from './directory/review-cases.js';
export {
  findRepeated,
  findSeenProof,
  forgetEndedRuns,
  noteSeen,
  type SeenProof,
  saveSeen,
} from './directory/seen-records.js';
export {
  findSharers,
  isQueueReady,
  queueAllForMatching,
  queueForMatching,
  saveWeakKeys,
  takeQueued,
} from './directory/weak-keys.js';
export { expireLeases } from './expire-leases.js';
export {
  type ApiKeyRow,
  type ApiKeySecret,
  findApiKeySecret,
  insertApiKey,
  listApiKeys,
  revokeApiKey,
  revokeKeysOfConnector,
  touchApiKeys,
} from './gateway/api-keys.js';
export { findProbe, type ProbeRow, requestProbe } from './gateway/connector-probes.js';
export { deleteConnectorSecrets, findConnectorSecrets, saveConnectorSecrets } from './gateway/connector-secrets.js';
export {
  type ConnectorRow,
  deleteConnector,
  findConnector,
  insertConnector,
  type LastRun,
  listConnectors,
  lockConnector,
  updateConnector,
} from './gateway/connectors.js';
export {
  type AttemptRow,
  type DeliveryDetails,
  type DeliveryPosition,
  type DeliveryRow,
  findDelivery,
} from './gateway/deliveries.js';
export { type DocumentQuery, findDocument, findDocuments, findIdentityAt, type Position } from './gateway/documents.js';
export { type FeedPage, findFeedPage } from './gateway/event-feed.js';
export { type ExplainedIdentity, findExplainedIdentity } from './gateway/explained-identity.js';
export { type FailingRecordRow, listFailingRecords } from './gateway/failing-records.js';
export { type EventRow, findHistory } from './gateway/history.js';
export { findJob, findJobErrors, type JobError, type JobRow, listJobs } from './gateway/jobs.js';
export { type DeliveryPage, type DeliveryQuery, listDeliveries } from './gateway/list-deliveries.js';
export { findMachine, type MachineRow } from './gateway/machine-identities.js';
export { findOperation, listOperations, type OperationRow, requestOperation } from './gateway/operations.js';
export { findJobPlan, type JobPlan, type PlanEntryRow } from './gateway/plans.js';
export { type CaseRow, findCase, listCases } from './gateway/review-cases.js';
export {
  findOutdatedSecrets,
  replaceSecrets,
  type SealedSecret,
  type SecretsPlace,
} from './gateway/sealed-secrets.js';
export { createTenant, findTenant, listTenants, type TenantRow } from './gateway/tenants.js';
export { type TriggerOutcome, triggerSync } from './gateway/trigger-sync.js';
export {
  type AttemptStatistics,
  findAttemptStatistics,
  findWebhookHealth,
  listWebhookHealth,
  type WebhookHealthRow,
} from './gateway/webhook-health.js';
export {
  findReplay,
  listReplays,
  type ReplayRow,
  requestReplay,
  type WantedReplay,
} from './gateway/webhook-replays.js';
export {
  deleteWebhook,
  findWebhook,
  insertWebhook,
  listWebhooks,
  lockWebhook,
  mostWebhooks,
  rotateWebhookSecret,
  updateWebhook,
  type WebhookRow,
} from './gateway/webhooks.js';
export { type MigrationReport, migrate, migrateDown } from './migrate.js';
export {
  enqueue,
  markReceived,
  type OutgoingMessage,
  outboxBacklog,
  queueBacklogs,
} from './outbox.js';
export { type NewEvent, recordEvents } from './record-events.js';
export { type ServiceRole, serviceRoles } from './roles.js';
export { SchemaVersionError } from './schema-version.js';
export { abandonPushed, forgetAbandoned, forgetPushedDeletions } from './scim/forget-pushed.js';
export {
  findPushStanding,
  type PushedPlace,
  type PushedUser,
  readPushedUser,
  readPushedUsers,
} from './scim/read-pushed.js';
export {
  addScimMembers,
  groupsOfMembers,
  leaveScimGroups,
  membersOfGroups,
  removeScimMembers,
  type ScimEnd,
  scimMemberIds,
} from './scim/scim-members.js';
export { beginPush } from './scim/scim-positions.js';
export {
  countScimResources,
  deleteScimResource,
  eraseScimUser,
  findScimResource,
  insertScimResource,
  knownScimResources,
  listScimResources,
  type PushedResource,
  replaceScimResource,
  type ScimDocument,
  type ScimKind,
  type ScimNarrowing,
  type ScimPlace,
  type ScimResourceRow,
  touchScimResources,
} from './scim/scim-resources.js';
export { open, seal, sealMark } from './secret-box.js';
export { lockNotAvailable, sqlState, uniqueViolation } from './sql-state.js';
export { deleteLeftBatches, holdBatches, insertBatch, removeBatch, takeUnansweredBatches } from './sync/batches.js';
export {
  type ConnectorState,
  findConnectorState,
  keepCheckpoint,
  noteLastJob,
  type ReadingMode,
  saveReadingMode,
} from './sync/connector-states.js';
export { forgetMended, forgetOtherFailing, noteFailing } from './sync/failing-records.js';
export { findJobSource, type JobSource } from './sync/job-source.js';
export {
  countActiveJobs,
  endJob,
  type JobCounts,
  type JobDecision,
  type JobEnd,
  lockJob,
  type SyncJob,
  saveCounts,
} from './sync/jobs.js';
export {
  type ClaimableJob,
  type ClaimedJob,
  claimLease,
  endReading,
  findClaimableJobs,
  type Lease,
  lockLeasedJob,
  moveOn,
  releaseLease,
  renewLease,
} from './sync/leases.js';
export { deleteOldProbes, endProbe, findOpenProbe } from './sync/probes.js';
export { deleteOldJobs } from './sync/purge.js';
export { findFirstRecordError, keepRecordErrors, type LeftOutRecord } from './sync/record-errors.js';
export { findClaimableRecordJobs, insertRecordJob, saveOutcome } from './sync/record-jobs.js';
export {
  type DueConnector,
  findDueConnectors,
  findUnfinishedJob,
  insertScheduledJob,
  lockSchedule,
  type ScheduleState,
  savePlannedRun,
  saveSkippedRun,
} from './sync/schedules.js';
export { markSweepAsked, quarantineJob, saveDecision, takeUnansweredSweeps } from './sync/sweeps.js';
export { type ClaimedDelivery, type ClaimRequest, claimDeliveries } from './webhook-delivery/claim-deliveries.js';
export {
  type DueEndpoint,
  disableFailingWebhooks,
  disableWebhooks,
  type EndpointNews,
  findDueEndpoints,
  findReceivers,
  forgetChangedEndpoints,
  type Receiver,
  saveEndpointNews,
} from './webhook-delivery/endpoints.js';
export { findEventBodies, type SequenceRange } from './webhook-delivery/event-bodies.js';
export {
  findActiveSubscriptions,
  insertDeliveries,
  type NewDelivery,
  type Subscription,
  savePayloads,
} from './webhook-delivery/fan-out.js';
export { findTenantsBehind, lockFanOut, saveFanOut } from './webhook-delivery/fan-out-position.js';
export { type FinishedAttempt, finishAttempts } from './webhook-delivery/finish-attempts.js';
export { announceRendering } from './webhook-delivery/forget-payloads.js';
export { deleteOldDeliveries, deleteOldEndpoints } from './webhook-delivery/purge.js';
export {
  beginReplay,
  cancelReplay,
  countDeadDeliveries,
  findReplayedWebhook,
  findSequencesOf,
  lockReplay,
  type OpenReplay,
  type ReplayProgress,
  redeliver,
  requeueDeadDeliveries,
  resendDelivery,
  saveReplayProgress,
  takeUnansweredReplays,
} from './webhook-delivery/replays.js';
