import type { Transaction } from '../database.js';

/** Absent if the connector has none. */
export async function findConnectorSecrets(
  tx: Transaction,
  tenantId: string,
  connectorId: string,
): Promise<Buffer | undefined> {
  const [row] = await tx.query<{ ciphertext: Buffer }>(
    'select ciphertext from connector_secrets where tenant_id = $1 and connector_id = $2',
    [tenantId, connectorId],
  );
  return row?.ciphertext;
}

/** Puts these in the place of what there was. */
export async function saveConnectorSecrets(
  tx: Transaction,
  tenantId: string,
  connectorId: string,
  { sealed, names }: { sealed: Buffer; names: readonly string[] },
): Promise<void> {
  await tx.query(
    `insert into connector_secrets (connector_id, tenant_id, ciphertext, names) values ($2, $1, $3, $4)
     on conflict (connector_id) do update set ciphertext = excluded.ciphertext, names = excluded.names`,
    [tenantId, connectorId, sealed, names],
  );
}

export async function deleteConnectorSecrets(tx: Transaction, tenantId: string, connectorId: string): Promise<void> {
  await tx.query('delete from connector_secrets where tenant_id = $1 and connector_id = $2', [tenantId, connectorId]);
}
