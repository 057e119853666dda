// SQL by hand: a value out of JSON, and a subquery.
import type { ConnectorType, RecordKind } from '@idsync/contracts';
import type { Transaction } from '../database.js';

/** The connector of a job, as the gateway stored it. */
export interface JobSource {
  connectorId: string;
  type: ConnectorType;
  records: RecordKind;
  config: unknown;
  /** Incremented by every change of `config`. */
  configVersion: number;
  tenantId: string;
  /** Encrypted for the tenant; null if it has none. */
  secrets: Buffer | null;
  /** One in this many runs is a full run; null without a schedule. */
  fullEvery: number | null;
  /** Maximum age of the last complete full run; null without a schedule. */
  fullEveryHours: number | null;
}

/** Returns undefined if the connector was deleted. */
export async function findJobSource(tx: Transaction, connectorId: string): Promise<JobSource | undefined> {
  return tx.row<JobSource>(
    `select id as "connectorId", type, records, config, config_version as "configVersion", tenant_id as "tenantId",
            (schedule ->> 'full_every')::integer as "fullEvery",
            (schedule ->> 'full_every_hours')::integer as "fullEveryHours",
            (select ciphertext from connector_secrets s where s.tenant_id = $1 and s.connector_id = c.id) as secrets
       from connectors c where tenant_id = $1 and id = $2 and deleted_at is null`,
    [tx.tenantId, connectorId],
  );
}
