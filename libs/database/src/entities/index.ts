import { BusMessageEntity, InboxEntryEntity, OutboxEntryEntity, RelayLeaseEntity } from './bus.entities.js';
import { ConnectorProbeEntity, ConnectorSecretsEntity } from './connector.entities.js';
import {
  ContestedKeyEntity,
  CorrelationKeyEntity,
  DirectoryCounterEntity,
  IdentityEntity,
  IdentityRedirectEntity,
  ListPositionEntity,
  MachineReferenceEntity,
  SourceRecordEntity,
  WaitingRecordEntity,
} from './directory.entities.js';
import { EventEntity, EventSequenceEntity } from './events.entities.js';
import {
  ApiKeyEntity,
  ConnectorEntity,
  IdempotencyKeyEntity,
  TenantEntity,
  WebhookEntity,
  WebhookSecretEntity,
} from './gateway.entities.js';
import { AttributePriorityEntity, IdentityVersionEntity } from './history.entities.js';
import {
  MatchingRulesEntity,
  MatchQueueEntity,
  OperationEntity,
  ReviewCaseEntity,
  WeakKeyEntity,
} from './matching.entities.js';
import { ScimMemberEntity, ScimPositionEntity, ScimResourceEntity } from './scim.entities.js';
import { SeenRecordsEntity, SyncPlanEntity, SyncPlanEntryEntity } from './sweep.entities.js';
import {
  ConnectorStateEntity,
  FailingRecordEntity,
  SyncBatchEntity,
  SyncJobEntity,
  SyncRecordErrorEntity,
} from './sync.entities.js';
import {
  EventPayloadEntity,
  FanOutPositionEntity,
  WebhookAttemptEntity,
  WebhookDeliveryEntity,
  WebhookEndpointEntity,
  WebhookReplayEntity,
} from './webhook-delivery.entities.js';

/** Listed by hand: what is not here is not in the schema. */
export const entities = [
  TenantEntity,
  ApiKeyEntity,
  ConnectorEntity,
  ConnectorSecretsEntity,
  ConnectorProbeEntity,
  WebhookEntity,
  WebhookSecretEntity,
  IdempotencyKeyEntity,
  ScimPositionEntity,
  ScimResourceEntity,
  ScimMemberEntity,
  SyncJobEntity,
  SyncBatchEntity,
  SyncRecordErrorEntity,
  ConnectorStateEntity,
  FailingRecordEntity,
  SeenRecordsEntity,
  SyncPlanEntity,
  SyncPlanEntryEntity,
  IdentityEntity,
  SourceRecordEntity,
  MachineReferenceEntity,
  CorrelationKeyEntity,
  WaitingRecordEntity,
  ContestedKeyEntity,
  DirectoryCounterEntity,
  ListPositionEntity,
  IdentityRedirectEntity,
  IdentityVersionEntity,
  AttributePriorityEntity,
  MatchingRulesEntity,
  WeakKeyEntity,
  MatchQueueEntity,
  ReviewCaseEntity,
  OperationEntity,
  EventSequenceEntity,
  EventEntity,
  FanOutPositionEntity,
  EventPayloadEntity,
  WebhookDeliveryEntity,
  WebhookAttemptEntity,
  WebhookEndpointEntity,
  WebhookReplayEntity,
  OutboxEntryEntity,
  RelayLeaseEntity,
  InboxEntryEntity,
  BusMessageEntity,
];
