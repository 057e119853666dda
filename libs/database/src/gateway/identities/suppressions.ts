// SQL by hand: an insert that keeps the first key.
import { In } from 'typeorm';
import type { Transaction } from '../../database.js';
import { SourceRecordEntity } from '../../entities/directory.entities.js';
import { SuppressionEntity, SuppressionHashEntity, SuppressionKeyEntity } from '../../entities/suppression.entities.js';
import { findRow } from '../../rows.js';
import { findPage, type Page, type Rows } from '../page.js';

export type SuppressionRow = SuppressionEntity;

/** Bounds the input of an erasure; an identity has a few records. */
const maxRecords = 2_000;

/** Returns the encrypted key of the tenant; stores `fresh` if it has none. */
export async function ensureSuppressionKey(tx: Transaction, fresh: Buffer): Promise<Buffer> {
  await tx.query('insert into suppression_keys (tenant_id, ciphertext) values ($1, $2) on conflict do nothing', [
    tx.tenantId,
    fresh,
  ]);
  return (await tx.manager.findOneByOrFail(SuppressionKeyEntity, { tenantId: tx.tenantId })).ciphertext;
}

/** Finds the users and accounts of an identity. */
export function findPersonRecords(
  tx: Transaction,
  identityId: string,
): Promise<Pick<SourceRecordEntity, 'id' | 'connectorId' | 'externalId' | 'fields'>[]> {
  return tx.manager.find(SourceRecordEntity, {
    select: { id: true, connectorId: true, externalId: true, fields: true },
    where: { tenantId: tx.tenantId, identityId, kind: In(['user', 'account']) },
    order: { id: 'ASC' },
    take: maxRecords,
  });
}

/** Lists suppressions, the newest first. */
export function listSuppressions(tx: Transaction, page: Page): Promise<Rows<SuppressionRow>> {
  return findPage(tx, SuppressionEntity, page, {
    where: { tenantId: tx.tenantId },
    order: { createdAt: 'DESC', id: 'DESC' },
  });
}

export function findSuppression(tx: Transaction, id: string): Promise<SuppressionRow | undefined> {
  return findRow(tx, SuppressionEntity, { where: { tenantId: tx.tenantId, id } });
}

/** Deletes a suppression with its hashes. Returns false if there is none. */
export async function deleteSuppression(tx: Transaction, id: string): Promise<boolean> {
  await tx.manager.delete(SuppressionHashEntity, { tenantId: tx.tenantId, suppressionId: id });
  return (await tx.manager.delete(SuppressionEntity, { tenantId: tx.tenantId, id })).affected === 1;
}
