import type { SourceRecord } from '@idsync/contracts';
import {
  addPlanEntries,
  countKnownBefore,
  countRecentHarm,
  findSafeguard,
  lockPlan,
  savePlan,
  type Transaction,
} from '@idsync/database';
import type { RecordChange } from '../record-change.js';
import { allowance, harmOf } from './guard.js';
import { planEntry } from './plan-entry.js';

/**
 * Sets aside what would take more away than the connector's safeguard lets a run take; returns the changes that can be
 * made. Batches that take nothing away pass without a look; the others count one after another.
 */
export async function holdBack(
  tx: Transaction,
  tenantId: string,
  job: { id: string; connectorId: string },
  changes: readonly RecordChange[],
  incoming: ReadonlyMap<string, SourceRecord>,
): Promise<RecordChange[]> {
  if (!changes.some(harmOf)) return [...changes];
  const guard = await findSafeguard(tx, job.connectorId);
  const plan = await lockPlan(tx, tenantId, job);
  const known = plan.known ?? (await countKnownBefore(tx, job.connectorId, job.id));
  const recent = await countRecentHarm(tx, job);
  const counts = { delete: plan.deletions, disable: plan.disables };
  const earlier = { delete: recent.deletions, disable: recent.disables };
  const held = changes.filter((change) => {
    const harm = harmOf(change);
    if (harm === undefined) return false;
    counts[harm] += 1;
    return counts[harm] + earlier[harm] > allowance(guard, known + recent.deletions, harm);
  });
  await savePlan(tx, { ...plan, known, deletions: counts.delete, disables: counts.disable });
  const entries = held.flatMap((change) => {
    const said = incoming.get(change.record.externalId);
    return said ? [planEntry(change, said)] : [];
  });
  await addPlanEntries(tx, tenantId, job.id, entries);
  return changes.filter((change) => !held.includes(change));
}
