// SQL by hand: settings of the transaction.
import type { Transaction } from './run-transaction.js';

/**
 * Makes PostgreSQL plan the rest of the transaction for its values, for statements that read a whole table with one plan for
 * all values (see `OftenUsed`): deleting merged identities reads 16 000 rows of a tenant with 15 000 people.
 */
export async function planForValues(tx: Transaction): Promise<void> {
  await tx.query('set local plan_cache_mode = force_custom_plan');
}
