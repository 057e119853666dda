import type { RecordKind } from './records.js';

export const personStatuses = ['pending', 'active', 'suspended', 'inactive', 'deleted'] as const;
export type PersonStatus = (typeof personStatuses)[number];

export const jobStatuses = [
  'queued',
  'running',
  'quarantined',
  'completed',
  'completed_with_errors',
  'failed',
  'cancelled',
] as const;
export type JobStatus = (typeof jobStatuses)[number];

/**
 * `full` reads the whole source, `changes` what has changed since the last run, `auto` changes where the source
 * supports it.
 */
export const syncModes = ['auto', 'full', 'changes'] as const;
export type SyncMode = (typeof syncModes)[number];
/** A job can also read a single record that an operator named. */
export type JobMode = SyncMode | 'record';

/** Result of a record job; `absent`: the record is not in its source, and there was nothing to delete. */
export const recordOutcomes = ['created', 'updated', 'unchanged', 'deleted', 'absent', 'refused'] as const;
export type RecordOutcome = (typeof recordOutcomes)[number];

/** The status that hides a record from lists, by kind. */
export const deletedStatus = {
  user: 'deleted',
  account: 'deleted',
  machine_identity: 'decommissioned',
} as const satisfies Record<RecordKind, string>;
