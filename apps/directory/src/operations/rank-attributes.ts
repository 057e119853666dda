import type { OperationInput } from '@idsync/contracts';
import { findRecordIds, lockRecordsById, saveAttributePriorities, type Transaction } from '@idsync/database';
import { applyChanges } from '../apply-changes.js';
import { type Cause, learnTenant } from '../cause.js';
import type { Outcome } from './outcome.js';

const portion = 1_000;

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
  for (const kind of ['user', 'account', 'machine_identity'] as const) {
    for (let after: string | undefined; ; ) {
      const ids = await findRecordIds(tx, cause.tenantId, kind, after, portion);
      if (ids.length === 0) break;
      after = ids.at(-1);
      const records = await lockRecordsById(tx, ids);
      const settled = await applyChanges(
        tx,
        ranked,
        records.map((record) => ({ record, before: record })),
      );
      changed += settled.identities.length;
    }
  }
  return { result: { identities_changed: changed } };
}
