import type { Transaction } from '../database.js';
import { FailingRecordEntity } from '../entities/record-errors.entities.js';
import { findPage, type Page, type Rows } from './page.js';

export type FailingRecordRow = FailingRecordEntity;

/**
 * Lists records of a connector that failed when they were last read, in the order of their first failure. At most a few
 * thousand.
 */
export function listFailingRecords(
  tx: Transaction,
  tenantId: string,
  connectorId: string,
  page: Page,
): Promise<Rows<FailingRecordRow>> {
  return findPage(tx, FailingRecordEntity, page, { where: { tenantId, connectorId }, order: { id: 'ASC' } });
}
