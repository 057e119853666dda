import type { RecordKind } from '@idsync/contracts';
import type { Transaction } from '../database.js';
import { SourceRecordEntity } from '../entities/directory.entities.js';

export interface FoundRecord {
  id: string;
  kind: RecordKind;
  connectorId: string;
  /** Null for an account or a machine that belongs to no person. */
  identityId: string | null;
}

/** Finds a record of a source by its id. */
export async function findRecord(
  tx: Transaction,
  tenantId: string,
  kind: RecordKind,
  id: string,
): Promise<FoundRecord | undefined> {
  const row = await tx.manager.findOne(SourceRecordEntity, {
    select: { id: true, kind: true, connectorId: true, identityId: true },
    where: { tenantId, id },
  });
  // Not a condition of the statement, for which PostgreSQL would choose an index of kinds.
  return row?.kind === kind ? row : undefined;
}
