import type { RecordKind } from '@idsync/contracts';
import type { Transaction } from '../../database.js';
import { findReferences, type StoredReference } from '../../directory/machine-references.js';
import { SourceRecordEntity } from '../../entities/directory.entities.js';
import { findRow } from '../../rows.js';

export type AccountRow = SourceRecordEntity;

export async function findAccount(tx: Transaction, id: string): Promise<AccountRow | undefined> {
  const row = await findRow(tx, SourceRecordEntity, { where: { tenantId: tx.tenantId, id } });
  // Not a condition of the statement, for which PostgreSQL would choose an index of kinds.
  return row?.kind === 'account' ? row : undefined;
}

export interface MachineRow extends SourceRecordEntity {
  references: StoredReference[];
}

export async function findMachine(tx: Transaction, id: string): Promise<MachineRow | undefined> {
  const row = await findRow(tx, SourceRecordEntity, { where: { tenantId: tx.tenantId, id } });
  // Not a condition of the statement, for which PostgreSQL would choose an index of kinds.
  return row?.kind === 'machine_identity' ? { ...row, references: await findReferences(tx, [id]) } : undefined;
}

export interface FoundRecord {
  id: string;
  kind: RecordKind;
  connectorId: string;
  /** Null for an account or a machine that belongs to no person. */
  identityId: string | null;
}

/** Finds a record of a source by its id. */
export async function findRecord(tx: Transaction, kind: RecordKind, id: string): Promise<FoundRecord | undefined> {
  const row = await tx.manager.findOne(SourceRecordEntity, {
    select: { id: true, kind: true, connectorId: true, identityId: true },
    where: { tenantId: tx.tenantId, id },
  });
  // Not a condition of the statement, for which PostgreSQL would choose an index of kinds.
  return row?.kind === kind ? row : undefined;
}
