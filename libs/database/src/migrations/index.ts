import { Foundation1700000000001 } from './1700000000001-foundation.js';
import { Matching1700000000002 } from './1700000000002-matching.js';
import { ListPositions1700000000003 } from './1700000000003-list-positions.js';
import { Sweep1700000000004 } from './1700000000004-sweep.js';
import { History1700000000005 } from './1700000000005-history.js';
import { Machines1700000000006 } from './1700000000006-machines.js';
import { Lifecycle1700000000007 } from './1700000000007-lifecycle.js';
import { WebhookDelivery1700000000008 } from './1700000000008-webhook-delivery.js';
import { RecordKinds1700000000009 } from './1700000000009-record-kinds.js';
import { EventFeed1700000000010 } from './1700000000010-event-feed.js';
import { FanOutPositions1700000000012 } from './1700000000012-fan-out-positions.js';
import { DeliveryLists1700000000013 } from './1700000000013-delivery-lists.js';
import { ConnectorSecrets1700000000014 } from './1700000000014-connector-secrets.js';
import { Incremental1700000000020 } from './1700000000020-incremental.js';
import { Schedules1700000000021 } from './1700000000021-schedules.js';
import { SourceHealth1700000000022 } from './1700000000022-source-health.js';
import { ScimPush1700000000023 } from './1700000000023-scim-push.js';
import { RecordJobs1700000000024 } from './1700000000024-record-jobs.js';
import { LookUps1700000000025 } from './1700000000025-look-ups.js';
import { TraceContext1700000000026 } from './1700000000026-trace-context.js';
import { AnnouncedAgain1700000000027 } from './1700000000027-announced-again.js';
import { ToAnnounceAgain1700000000028 } from './1700000000028-to-announce-again.js';
import { OneTenant1700000000029 } from './1700000000029-one-tenant.js';
import { ListedChanges1700000000031 } from './1700000000031-listed-changes.js';
import { RecordWeight1700000000033 } from './1700000000033-record-weight.js';
import { BatchesBegun1700000000034 } from './1700000000034-batches-begun.js';
import { SourceMessages1700000000036 } from './1700000000036-source-messages.js';
import { JobsWithSourceMessages1700000000037 } from './1700000000037-jobs-with-source-messages.js';
import { Autoscaling1700000000040 } from './1700000000040-autoscaling.js';
import { DocumentRenderings1700000000041 } from './1700000000041-document-renderings.js';
import { ReadsAndRetries1700000000042 } from './1700000000042-reads-and-retries.js';
import { LifecyclePolicies1700000000043 } from './1700000000043-lifecycle-policies.js';
import { RunningJobs1700000000044 } from './1700000000044-running-jobs.js';
import { TimesInCommitOrder1700000000045 } from './1700000000045-times-in-commit-order.js';
import { RecordVersions1700000000046 } from './1700000000046-record-versions.js';
import { FieldsLeftOut1700000000047 } from './1700000000047-fields-left-out.js';
import { RunsBesideHeldJobs1700000000049 } from './1700000000049-runs-beside-held-jobs.js';
import { SetAsideAdditions1700000000050 } from './1700000000050-set-aside-additions.js';
import { PlannedDeletions1700000000051 } from './1700000000051-planned-deletions.js';
import { Findings1700000000052 } from './1700000000052-findings.js';
import { ManagedUsers1700000000053 } from './1700000000053-managed-users.js';
import { LinkEvidence1700000000054 } from './1700000000054-link-evidence.js';
import { Retirements1700000000058 } from './1700000000058-retirements.js';
import { Suppressions1700000000059 } from './1700000000059-suppressions.js';
import { SuspendedTenants1700000000060 } from './1700000000060-suspended-tenants.js';
import { FieldsOfFailingRecords1700000000062 } from './1700000000062-fields-of-failing-records.js';
import { SearchTerms1700000000063 } from './1700000000063-search-terms.js';
import { ListedRecords1700000000064 } from './1700000000064-listed-records.js';
import { TenantDeletions1700000000068 } from './1700000000068-tenant-deletions.js';
import { ListTerms1700000000070 } from './1700000000070-list-terms.js';
import { FilteredRecords1700000000071 } from './1700000000071-filtered-records.js';
import { Groups1700000000072 } from './1700000000072-groups.js';
import { Audit1700000000080 } from './1700000000080-audit.js';
import { ServiceTokens1700000000081 } from './1700000000081-service-tokens.js';
import { SubscriberDiagnosis1700000000090 } from './1700000000090-subscriber-diagnosis.js';
import { SigningKeys1700000000091 } from './1700000000091-signing-keys.js';
import { WebhookFilters1700000000092 } from './1700000000092-webhook-filters.js';
import { OperatorSessions1700000000110 } from './1700000000110-operator-sessions.js';
import { LogoutTokens1700000000111 } from './1700000000111-logout-tokens.js';
import { Approvals1700000000120 } from './1700000000120-approvals.js';
import { TenantQuotas1700000000121 } from './1700000000121-tenant-quotas.js';
import { RenderingProgress1700000000140 } from './1700000000140-rendering-progress.js';
import { DueTenants1700000000160 } from './1700000000160-due-tenants.js';
import { PortalLinks1700000000166 } from './1700000000166-portal-links.js';
import { ServiceProcesses1700000000170 } from './1700000000170-service-processes.js';
import { DeadMessages1700000000171 } from './1700000000171-dead-messages.js';
import { KeptIdentities1700000000172 } from './1700000000172-kept-identities.js';
import { MovedRecords1700000000173 } from './1700000000173-moved-records.js';
import { ListedRecordsOfSources1700000000180 } from './1700000000180-listed-records-of-sources.js';
import { MachinesByRisk1700000000181 } from './1700000000181-machines-by-risk.js';
import { Probes1700000000184 } from './1700000000184-probes.js';
import { ResembledKeys1700000000185 } from './1700000000185-resembled-keys.js';
import { CoveredIndex1700000000186 } from './1700000000186-covered-index.js';
import { PlainBatches1700000000187 } from './1700000000187-plain-batches.js';
import { ListedJobs1700000000188 } from './1700000000188-listed-jobs.js';
import { CountedResources1700000000189 } from './1700000000189-counted-resources.js';
import { FormerReferences1700000000190 } from './1700000000190-former-references.js';
import { FormerKeys1700000000195 } from './1700000000195-former-keys.js';
import { FormerResources1700000000196 } from './1700000000196-former-resources.js';
import { HeldOperations1700000000197 } from './1700000000197-held-operations.js';
import { CheckedOperations1700000000198 } from './1700000000198-checked-operations.js';
import { CountedLosses1700000000200 } from './1700000000200-counted-losses.js';
import { PlansWithLosses1700000000201 } from './1700000000201-plans-with-losses.js';

/** Oldest first. */
export const migrations = [
  Foundation1700000000001,
  Matching1700000000002,
  ListPositions1700000000003,
  Sweep1700000000004,
  History1700000000005,
  Machines1700000000006,
  Lifecycle1700000000007,
  WebhookDelivery1700000000008,
  RecordKinds1700000000009,
  EventFeed1700000000010,
  FanOutPositions1700000000012,
  DeliveryLists1700000000013,
  ConnectorSecrets1700000000014,
  Incremental1700000000020,
  Schedules1700000000021,
  SourceHealth1700000000022,
  ScimPush1700000000023,
  RecordJobs1700000000024,
  LookUps1700000000025,
  TraceContext1700000000026,
  AnnouncedAgain1700000000027,
  ToAnnounceAgain1700000000028,
  OneTenant1700000000029,
  ListedChanges1700000000031,
  RecordWeight1700000000033,
  BatchesBegun1700000000034,
  SourceMessages1700000000036,
  JobsWithSourceMessages1700000000037,
  Autoscaling1700000000040,
  DocumentRenderings1700000000041,
  ReadsAndRetries1700000000042,
  LifecyclePolicies1700000000043,
  RunningJobs1700000000044,
  TimesInCommitOrder1700000000045,
  RecordVersions1700000000046,
  FieldsLeftOut1700000000047,
  RunsBesideHeldJobs1700000000049,
  SetAsideAdditions1700000000050,
  PlannedDeletions1700000000051,
  Findings1700000000052,
  ManagedUsers1700000000053,
  LinkEvidence1700000000054,
  Retirements1700000000058,
  Suppressions1700000000059,
  SuspendedTenants1700000000060,
  FieldsOfFailingRecords1700000000062,
  SearchTerms1700000000063,
  ListedRecords1700000000064,
  TenantDeletions1700000000068,
  ListTerms1700000000070,
  FilteredRecords1700000000071,
  Groups1700000000072,
  Audit1700000000080,
  ServiceTokens1700000000081,
  SubscriberDiagnosis1700000000090,
  SigningKeys1700000000091,
  WebhookFilters1700000000092,
  OperatorSessions1700000000110,
  LogoutTokens1700000000111,
  Approvals1700000000120,
  TenantQuotas1700000000121,
  RenderingProgress1700000000140,
  DueTenants1700000000160,
  PortalLinks1700000000166,
  ServiceProcesses1700000000170,
  DeadMessages1700000000171,
  KeptIdentities1700000000172,
  MovedRecords1700000000173,
  ListedRecordsOfSources1700000000180,
  MachinesByRisk1700000000181,
  Probes1700000000184,
  ResembledKeys1700000000185,
  CoveredIndex1700000000186,
  PlainBatches1700000000187,
  ListedJobs1700000000188,
  CountedResources1700000000189,
  FormerReferences1700000000190,
  FormerKeys1700000000195,
  FormerResources1700000000196,
  HeldOperations1700000000197,
  CheckedOperations1700000000198,
  CountedLosses1700000000200,
  PlansWithLosses1700000000201,
];
