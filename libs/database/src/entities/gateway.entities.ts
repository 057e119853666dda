import type { ConnectorType, PayloadForm, RecordKind, Safeguard, Schedule, WebhookFilter } from '@idsync/contracts';
import { boolean, bytea, entity, integer, jsonb, ofTenant, type RowOf, text, timestamptz, uuid } from './entity.js';

export const ApiKeyEntity = entity('api_keys', {
  ...ofTenant,
  id: uuid({ primary: true }),
  name: text(),
  secretHash: bytea({ select: false }),
  scopes: text<string[]>({ array: true }),
  createdAt: timestamptz({ createDate: true }),
  expiresAt: timestamptz({ nullable: true }),
  lastUsedAt: timestamptz({ nullable: true }),
  revokedAt: timestamptz({ nullable: true }),
  /** The connector that the key may push to; such a key grants no other access. */
  connectorId: uuid({ nullable: true }),
  /** Addresses and CIDR ranges from which the key may be used; null: any. */
  allowedNetworks: text<string[]>({ array: true, nullable: true }),
});
export type ApiKeyEntity = RowOf<typeof ApiKeyEntity>;

export const ConnectorEntity = entity('connectors', {
  ...ofTenant,
  id: uuid({ primary: true }),
  type: text<ConnectorType>(),
  name: text(),
  priority: integer(),
  records: text<RecordKind>(),
  config: jsonb<Record<string, unknown>>(),
  safeguard: jsonb<Safeguard>({ default: {} }),
  configVersion: integer({ default: 1 }),
  schedule: jsonb<Schedule>({ nullable: true }),
  /** The schedule that the next run was planned with. */
  plannedSchedule: jsonb<Schedule>({ nullable: true }),
  createdAt: timestamptz({ createDate: true }),
  updatedAt: timestamptz({ default: () => 'now()' }),
  deletedAt: timestamptz({ nullable: true }),
});
export type ConnectorEntity = RowOf<typeof ConnectorEntity>;

export const WebhookEntity = entity('webhooks', {
  ...ofTenant,
  id: uuid({ primary: true }),
  callbackUrl: text(),
  events: text<string[]>({ array: true }),
  active: boolean({ default: true }),
  createdAt: timestamptz({ createDate: true }),
  updatedAt: timestamptz({ default: () => 'now()' }),
  /** When a client deactivated the webhook; null while it is active or if the service disabled it. */
  deactivatedAt: timestamptz({ nullable: true }),
  /** The API key of the client. */
  deactivatedBy: uuid({ nullable: true }),
  /** Condition on the body of events. */
  filter: jsonb<WebhookFilter>({ nullable: true }),
  payload: text<PayloadForm>({ default: 'full' }),
  /** Names of its additional headers, whose values are encrypted. */
  headerNames: text<string[]>({ array: true, default: '{}' }),
  /** When a client last requested a test event. */
  testedAt: timestamptz({ nullable: true }),
});
export type WebhookEntity = RowOf<typeof WebhookEntity>;

export const WebhookSecretEntity = entity('webhook_secrets', {
  ...ofTenant,
  webhookId: uuid({ primary: true }),
  id: uuid({ primary: true }),
  ciphertext: bytea(),
  createdAt: timestamptz({ createDate: true }),
  expiresAt: timestamptz({ nullable: true }),
});
export type WebhookSecretEntity = RowOf<typeof WebhookSecretEntity>;

/** The values of a webhook's additional headers. */
export const WebhookHeadersEntity = entity('webhook_headers', {
  ...ofTenant,
  webhookId: uuid({ primary: true }),
  ciphertext: bytea(),
});
export type WebhookHeadersEntity = RowOf<typeof WebhookHeadersEntity>;

/** A key pair that signs beside the secrets of a webhook. */
export const WebhookSigningKeyEntity = entity('webhook_signing_keys', {
  ...ofTenant,
  webhookId: uuid({ primary: true }),
  id: uuid({ primary: true }),
  publicKey: text(),
  /** The private key, encrypted. */
  ciphertext: bytea(),
  createdAt: timestamptz({ createDate: true }),
  expiresAt: timestamptz({ nullable: true }),
});
export type WebhookSigningKeyEntity = RowOf<typeof WebhookSigningKeyEntity>;
