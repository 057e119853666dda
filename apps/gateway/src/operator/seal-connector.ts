import type { ConnectorBody } from '@idsync/contracts';
import {
  deleteConnectorSecrets,
  findConnectorSecrets,
  open,
  saveConnectorSecrets,
  seal,
  type Transaction,
} from '@idsync/database';
import { badRequest } from '../api-error.js';
import type { SealingKeys } from '../reseal-secrets.js';

type Secrets = Readonly<Record<string, string>>;

/** Sealed for its tenant before it touches the database, as one text: what there is, and nothing of what it is, can be asked. */
export async function writeSecrets(
  tx: Transaction,
  tenantId: string,
  connectorId: string,
  body: ConnectorBody,
  [key]: SealingKeys,
): Promise<string[]> {
  const secrets: Secrets = body.secrets;
  const names = Object.keys(secrets).sort();
  if (names.length === 0) await deleteConnectorSecrets(tx, tenantId, connectorId);
  else {
    const sealed = seal(JSON.stringify(secrets), key, tenantId);
    await saveConnectorSecrets(tx, tenantId, connectorId, { sealed, names });
  }
  return names;
}

/** Those that a change does not name. Throws a 400 if no key opens them: then all must be given. */
export async function readSecrets(
  tx: Transaction,
  tenantId: string,
  connectorId: string,
  keys: SealingKeys,
): Promise<Secrets> {
  const sealed = await findConnectorSecrets(tx, tenantId, connectorId);
  if (!sealed) return {};
  try {
    return JSON.parse(open(sealed, keys, tenantId)) as Secrets;
  } catch {
    throw badRequest('no key opens the secrets of this connector: give all of them anew');
  }
}
