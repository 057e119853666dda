import type { OperationInput } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { saveAttributePriorities, saveConnectorRank } from '@idsync/database/directory';
import { applyChanges } from '../apply-changes.js';
import { type Cause, loadTenant } from '../cause.js';
import { everyRecord } from './every-record.js';
import type { Outcome } from './outcome.js';

/** Applies new priorities of the tenant or of a connector by rendering every identity again. */
export async function rankAttributes(
  tx: Transaction,
  cause: Cause,
  { priorities, connector }: OperationInput<'attributes.rank'>,
): Promise<Outcome<'attributes.rank'>> {
  if (priorities) {
    const rows = priorities.map(({ field, connector_id, priority }) => ({
      field,
      connectorId: connector_id,
      priority,
    }));
    await saveAttributePriorities(tx, cause.tenantId, rows);
  }
  if (connector) await saveConnectorRank(tx, cause.tenantId, connector);
  const ranked = { ...cause, ...(await loadTenant(tx, cause.tenantId)), rerender: true };
  let changed = 0;
  for await (const records of everyRecord(tx, cause.tenantId)) {
    const settled = await applyChanges(
      tx,
      ranked,
      records.map((record) => ({ record, before: record })),
    );
    changed += settled.identities.length;
  }
  return { result: { identities_changed: changed } };
}
