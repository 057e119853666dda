import type { ConnectorType, RecordKind } from '@idsync/contracts';
import type { Transaction } from '../database.js';

/** What a job reads: its connector as the gateway stored it. */
export interface JobSource {
  type: ConnectorType;
  records: RecordKind;
  config: unknown;
}

/** Absent if the connector was deleted. */
export async function findJobSource(tx: Transaction, connectorId: string): Promise<JobSource | undefined> {
  const [source] = await tx.query<JobSource>(
    'select type, records, config from connectors where id = $1 and deleted_at is null',
    [connectorId],
  );
  return source;
}
