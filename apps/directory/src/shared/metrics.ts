import { findingKinds } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { countOpenFindings } from '@idsync/database/directory';
import { cached, counter, durations, gauge } from '@idsync/runtime';

const batches = durations({
  name: 'batch_apply_duration_seconds',
  help: 'Time to apply a batch, without repeated deliveries of its message.',
});
const records = counter({
  name: 'batch_records_total',
  help: 'Records of applied batches, by outcome.',
  labels: ['outcome'],
});

export const repeatedBatches = counter({
  name: 'batches_repeated_total',
  help: 'Batches that were written twice, because another change of their tenant got a later time meanwhile.',
});

export const peopleLeftOut = counter({
  name: 'people_left_out_total',
  help: 'New users that runs left out because of the quota of their tenant; counted again in each run.',
});

export interface AppliedBatch {
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
}

const outcomes: readonly (keyof AppliedBatch)[] = ['created', 'updated', 'unchanged', 'failed'];
for (const outcome of outcomes) records.startAtZero({ outcome });

export function countBatch(applied: AppliedBatch, seconds: number): void {
  batches.observe({}, seconds);
  for (const [outcome, count] of Object.entries(applied)) records.add({ outcome }, count);
}

const openFindings = gauge({
  name: 'findings_open',
  help: 'Open findings of all tenants by kind, counted up to 10 000.',
  labels: ['kind'],
});

export function watchFindings(database: Database): () => void {
  const poll = cached(() => database.acrossTenants((tx) => countOpenFindings(tx, findingKinds)));
  return openFindings.watch(async () => (await poll()).map(({ kind, count }) => ({ labels: { kind }, value: count })));
}
