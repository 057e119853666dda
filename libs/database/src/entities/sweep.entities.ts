import type { FieldChange, KeyKind, PlanAction, QuarantineReason, RecordKind } from '@idsync/contracts';
import { bigint, boolean, entity, integer, jsonb, ofTenant, type RowOf, text, timestamptz, uuid } from './entity.js';

/** `open` while batches are applied, `held` while quarantined, `ready` to be applied, `done`. */
export type PlanState = 'open' | 'held' | 'ready' | 'done';

export const SyncPlanEntity = entity('sync_plans', {
  ...ofTenant,
  jobId: uuid({ primary: true }),
  connectorId: uuid(),
  state: text<PlanState>({ default: 'open' }),
  /** Number of the connector's live records before the job; null until it is first counted. */
  known: integer({ nullable: true }),
  /** Records that the job has deleted or plans to delete: summed by the batches, counted by the sweep. */
  deletions: integer({ default: 0 }),
  disables: integer({ default: 0 }),
  /** People who lost access when the plan was applied. */
  losses: integer({ default: 0 }),
  /** Of these people the first ones, because some may get access again. */
  lostIdentityIds: uuid<string[]>({ array: true, default: () => "'{}'" }),
  note: text({ nullable: true }),
  /** Why the safeguard stops the plan, with counts and examples; empty if it does not. */
  reasons: jsonb<QuarantineReason[]>({ default: () => "'[]'" }),
});
export type SyncPlanEntity = RowOf<typeof SyncPlanEntity>;

export const SyncPlanEntryEntity = entity('sync_plan_entries', {
  ...ofTenant,
  jobId: uuid({ primary: true }),
  id: bigint({ primary: true, generated: true }),
  seq: integer(),
  action: text<PlanAction>(),
  recordId: uuid(),
  kind: text<RecordKind>(),
  externalId: text(),
  /** The identity it would belong to, if that exists already. */
  identityId: uuid({ nullable: true }),
  changes: jsonb<FieldChange[]>(),
  /** The record from the source, as JSON; null for a record that the source no longer lists. */
  incoming: text({ nullable: true }),
  /** `updated_at` of the record when the plan was made; null for a record that did not exist. */
  basedOn: timestamptz({ nullable: true }),
  /** External id under which the record is stored, if a new one replaces it. */
  movedFrom: text({ nullable: true }),
  /** Identity that has a match key of a record to be created, and the key's kind. */
  resemblesId: uuid({ nullable: true }),
  resemblesBy: text<KeyKind>({ nullable: true }),
  /** Fields under the safeguard whose value changes or is lost. */
  changedFields: text<string[]>({ array: true, default: () => "'{}'" }),
  done: boolean({ default: false }),
});
export type SyncPlanEntryEntity = RowOf<typeof SyncPlanEntryEntity>;
