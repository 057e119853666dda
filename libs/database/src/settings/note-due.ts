// SQL by hand: an upsert that never delays what is due earlier.
import type { Transaction } from '../database.js';

/** Makes the directory look at a tenant in `seconds`, in the transaction that adds work for it. */
export async function noteDue(tx: Transaction, tenantId: string, seconds = 0): Promise<void> {
  await tx.query(
    `insert into due_tenants (tenant_id, next_at, notes) values ($1, now() + make_interval(secs => $2), 1)
     on conflict (tenant_id) do update
        set next_at = least(due_tenants.next_at, excluded.next_at), notes = due_tenants.notes + 1`,
    [tenantId, seconds],
  );
}
