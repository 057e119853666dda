import { installationId, newUuid } from '@idsync/contracts';
import { In, IsNull } from 'typeorm';
import type { Database, Transaction } from '../database.js';
import { ServiceTokenEntity } from '../entities/audit.entities.js';
import { findRow, insertRow } from '../rows.js';
import { findPage, type Page, type Rows } from './page.js';

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
