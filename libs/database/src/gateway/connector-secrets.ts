import type { Transaction } from '../database.js';
import { ConnectorSecretsEntity } from '../entities/connector.entities.js';

/** Returns undefined if the connector has no secrets. */
export async function findConnectorSecrets(
  tx: Transaction,
  tenantId: string,
  connectorId: string,
): Promise<Buffer | undefined> {
  return (await tx.manager.findOneBy(ConnectorSecretsEntity, { tenantId, connectorId }))?.ciphertext;
}

/** Replaces all secrets of the connector. */
export async function saveConnectorSecrets(
  tx: Transaction,
  tenantId: string,
  connectorId: string,
  { encrypted, names }: { encrypted: Buffer; names: readonly string[] },
): Promise<void> {
  const secrets = { connectorId, tenantId, ciphertext: encrypted, names: [...names] };
  await tx.manager.upsert(ConnectorSecretsEntity, secrets, ['connectorId']);
}

export async function deleteConnectorSecrets(tx: Transaction, tenantId: string, connectorId: string): Promise<void> {
  await tx.manager.delete(ConnectorSecretsEntity, { tenantId, connectorId });
}
