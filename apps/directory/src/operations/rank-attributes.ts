import type { OperationInput } from '@idsync/contracts';
import { saveAttributePriorities, type Transaction } from '@idsync/database';
import { applyChanges } from '../apply-changes.js';
import { type Cause, learnTenant } from '../cause.js';
import { everyRecord } from './every-record.js';
import type { Outcome } from './outcome.js';

/** Takes up new priorities, a tenant's own or a connector's, and lets every identity show what now wins. */
export async function rankAttributes(
  tx: Transaction,
  cause: Cause,
  { priorities }: OperationInput<'attributes.rank'>,
): Promise<Outcome> {
  if (priorities) {
    const rows = priorities.map(({ field, connector_id, priority }) => ({
      field,
      connectorId: connector_id,
      priority,
    }));
    await saveAttributePriorities(tx, cause.tenantId, rows);
  }
  const ranked = { ...cause, ...(await learnTenant(tx, cause.tenantId)), rerender: true };
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
