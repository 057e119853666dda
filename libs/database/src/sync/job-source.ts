import type { ConnectorType, RecordKind } from '@idsync/contracts';
import type { Transaction } from '../database.js';

/** What a job reads: its connector as the gateway stored it. */
export interface JobSource {
  connectorId: string;
  type: ConnectorType;
  records: RecordKind;
  config: unknown;
  /** Grows with every change of `config`. */
  configVersion: number;
  tenantId: string;
  /** Sealed for the tenant; null if it has none. */
  secrets: Buffer | null;
  /** Of so many runs one reads everything; null unless a schedule says so. */
  fullEvery: number | null;
}

/** Absent if the connector was deleted. */
export async function findJobSource(tx: Transaction, connectorId: string): Promise<JobSource | undefined> {
  const [source] = await tx.query<JobSource>(
    `select id as "connectorId", type, records, config, config_version as "configVersion", tenant_id as "tenantId",
            (schedule ->> 'full_every')::integer as "fullEvery",
            (select ciphertext from connector_secrets s where s.tenant_id = c.tenant_id and s.connector_id = c.id) as secrets
       from connectors c where id = $1 and deleted_at is null`,
    [connectorId],
  );
  return source;
}
