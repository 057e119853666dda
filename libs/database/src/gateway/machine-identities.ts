import type { Transaction } from '../database.js';
import { findReferences, type StoredReference } from '../directory/machine-references.js';
import type { MachineState } from '../directory/records.js';

export interface MachineRow {
  id: string;
  identityId: string | null;
  connectorId: string;
  externalId: string;
  status: string;
  fields: Record<string, string[]>;
  /** Null until the directory has looked at it. */
  machine: MachineState | null;
  dueAt: Date | null;
  references: StoredReference[];
}

export async function findMachine(tx: Transaction, tenantId: string, id: string): Promise<MachineRow | undefined> {
  const [row] = await tx.query<Omit<MachineRow, 'references'>>(
    `select id, identity_id as "identityId", connector_id as "connectorId", external_id as "externalId", status, fields, machine,
            due_at as "dueAt"
       from source_records where tenant_id = $1 and id = $2 and kind = 'machine_identity'`,
    [tenantId, id],
  );
  return row && { ...row, references: await findReferences(tx, [id]) };
}
