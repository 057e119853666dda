import { bigint, boolean, entity, integer, ofTenant, type RowOf, text, timestamptz, uuid } from './entity.js';

export const FailingRecordEntity = entity('failing_records', {
  ...ofTenant,
  connectorId: uuid({ primary: true }),
  id: uuid({ primary: true }),
  /** The last job in which the record failed. */
  jobId: uuid(),
  externalId: text({ nullable: true }),
  line: bigint({ nullable: true }),
  message: text(),
  /** Redacted source value or text that caused the error. */
  sourceMessage: text({ nullable: true }),
  /** The field that was left out; null if the whole record was. */
  field: text({ nullable: true }),
  firstFailedAt: timestamptz({ default: () => 'now()' }),
  lastFailedAt: timestamptz({ default: () => 'now()' }),
  /** How often an incremental run has read it again. */
  retries: integer({ default: 0 }),
  /** When the next incremental run may read it again; null: at any time. */
  retryAt: timestamptz({ nullable: true }),
});
export type FailingRecordEntity = RowOf<typeof FailingRecordEntity>;

export const SyncRecordErrorEntity = entity('sync_record_errors', {
  ...ofTenant,
  jobId: uuid({ primary: true }),
  id: uuid({ primary: true }),
  line: bigint({ nullable: true }),
  externalId: text({ nullable: true }),
  message: text(),
  /** Redacted source value or text that caused the error. */
  sourceMessage: text({ nullable: true }),
  /** The field that was left out; null if the whole record was. */
  field: text({ nullable: true }),
  hidesOthers: boolean({ default: false }),
});
export type SyncRecordErrorEntity = RowOf<typeof SyncRecordErrorEntity>;
