import { Database, type Transaction } from '@idsync/database';
import { findTenant } from '@idsync/database/gateway';
import { Injectable } from '@nestjs/common';
import { orNotFound } from '../http/api-error.js';

/** Runs transactions for the tenant in the path of an operator route. */
@Injectable()
export class TenantTransactions {
  constructor(private readonly database: Database) {}

  /** Runs `work` in a transaction of the tenant. Throws a 404 if the tenant does not exist. */
  run<T>(tenantId: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.database.transaction(tenantId, async (tx) => {
      orNotFound(await findTenant(tx, tenantId));
      return work(tx);
    });
  }
}
