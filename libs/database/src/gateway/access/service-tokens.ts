import { installationId, newUuid, type OperatorPolicy, operatorPolicy } from '@idsync/contracts';
import { In, IsNull } from 'typeorm';
import type { Database, Transaction } from '../../database.js';
import { OperatorPolicyEntity, ServiceTokenEntity } from '../../entities/audit.entities.js';
import { findRow, insertRow } from '../../rows.js';
import { findPage, type Page, type Rows } from '../page.js';

export type ServiceTokenRow = Omit<ServiceTokenEntity, 'secretHash'>;

const tenantId = installationId;

export function insertServiceToken(
  tx: Transaction,
  token: Pick<ServiceTokenEntity, 'name' | 'role' | 'tenantIds' | 'secretHash' | 'createdBy' | 'expiresAt'>,
): Promise<ServiceTokenRow> {
  return insertRow(tx, ServiceTokenEntity, { ...token, id: newUuid(), tenantId });
}

export function listServiceTokens(tx: Transaction, page: Page): Promise<Rows<ServiceTokenRow>> {
  return findPage(tx, ServiceTokenEntity, page, { where: { tenantId }, order: { createdAt: 'ASC', id: 'ASC' } });
}

export function findServiceToken(tx: Transaction, id: string): Promise<ServiceTokenRow | undefined> {
  return findRow(tx, ServiceTokenEntity, { where: { tenantId, id } });
}

/** A token that is already revoked keeps the time of its revocation. */
export async function revokeServiceToken(tx: Transaction, id: string): Promise<void> {
  await tx.manager.update(ServiceTokenEntity, { tenantId, id, revokedAt: IsNull() }, { revokedAt: () => 'now()' });
}

/** Finds a token with its hash. */
export function findServiceTokenSecret(database: Database, id: string): Promise<ServiceTokenEntity | undefined> {
  return database.readTransaction(tenantId, (tx) =>
    findRow(tx, ServiceTokenEntity, {
      where: { tenantId, id },
      select: {
        id: true,
        tenantId: true,
        name: true,
        role: true,
        tenantIds: true,
        secretHash: true,
        expiresAt: true,
        revokedAt: true,
      },
    }),
  );
}

export async function touchServiceTokens(database: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await database.transaction(tenantId, (tx) =>
    tx.manager.update(ServiceTokenEntity, { tenantId, id: In([...ids]) }, { lastUsedAt: () => 'now()' }),
  );
}

/** Returns the tenant's settings for its operators, with the default of each one that it lacks. */
export async function findOperatorPolicy(tx: Transaction): Promise<OperatorPolicy> {
  const row = await findRow(tx, OperatorPolicyEntity, { where: { tenantId: tx.tenantId } });
  return { ...operatorPolicy.parse({}), ...row?.policy };
}

/** Locks the settings, if the tenant has changed any, until the end of the transaction. */
export async function lockOperatorPolicy(tx: Transaction): Promise<void> {
  await findRow(tx, OperatorPolicyEntity, { where: { tenantId: tx.tenantId }, lock: { mode: 'for_no_key_update' } });
}

export async function saveOperatorPolicy(tx: Transaction, policy: OperatorPolicy): Promise<void> {
  await tx.manager.upsert(OperatorPolicyEntity, { tenantId: tx.tenantId, policy, updatedAt: new Date() }, ['tenantId']);
}
