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

/** What a job reads: everything, what has changed since the last run, or changes where that is possible. */
export const syncModes = ['auto', 'full', 'changes'] as const;
export type SyncMode = (typeof syncModes)[number];
/** A job can also read one record that an operator named. */
export type JobMode = SyncMode | 'record';

/** What came of that record; `absent`: it is not in its source, and there was nothing to delete. */
export const recordOutcomes = ['created', 'updated', 'unchanged', 'deleted', 'absent', 'refused'] as const;
export type RecordOutcome = (typeof recordOutcomes)[number];

/** The status that hides a record from the lists, per kind. */
export const goneStatus = {
  user: 'deleted',
  account: 'deleted',
  machine_identity: 'decommissioned',
} as const satisfies Record<RecordKind, string>;
