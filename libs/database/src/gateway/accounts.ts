import type { Transaction } from '../database.js';
import { SourceRecordEntity } from '../entities/directory.entities.js';
import { findRow } from '../rows.js';

export type AccountRow = SourceRecordEntity;

export async function findAccount(tx: Transaction, tenantId: string, id: string): Promise<AccountRow | undefined> {
  const row = await findRow(tx, SourceRecordEntity, { where: { tenantId, id } });
  // Not a condition of the statement, for which PostgreSQL would choose an index of kinds.
  return row?.kind === 'account' ? row : undefined;
}
