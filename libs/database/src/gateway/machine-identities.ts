import type { Transaction } from '../database.js';
import { findReferences, type StoredReference } from '../directory/machine-references.js';
import { SourceRecordEntity } from '../entities/directory.entities.js';
import { findRow } from '../rows.js';

export interface MachineRow extends SourceRecordEntity {
  references: StoredReference[];
}

export async function findMachine(tx: Transaction, tenantId: string, id: string): Promise<MachineRow | undefined> {
  const row = await findRow(tx, SourceRecordEntity, { where: { tenantId, id, kind: 'machine_identity' } });
  return row && { ...row, references: await findReferences(tx, [id]) };
}
