// SQL by hand: a setting of the transaction.
import { checkTenant, type Transaction } from './database.js';

/**
 * Runs `work` on the rows of another tenant in the same transaction. A second transaction would need another connection,
 * and as many requests as there are connections would then wait for each other. No other statement may be sent
 * meanwhile. If `work` fails, the transaction, or a savepoint around it, must end.
 */
export async function asTenant<T>(
  tx: Transaction,
  tenantId: string,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  checkTenant(tenantId);
  const [before] = await tx.query<{ id: string }>(`select current_setting('idsync.tenant_id') as id`);
  await tx.query(`select set_config('idsync.tenant_id', $1, true)`, [tenantId]);
  const result = await work(tx);
  await tx.query(`select set_config('idsync.tenant_id', $1, true)`, [before?.id]);
  return result;
}
