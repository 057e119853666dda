import { Database, type Transaction } from '@idsync/database';
import { type BoundedTotal, findTenant, type Page, type Rows } from '@idsync/database/gateway';
import { Injectable } from '@nestjs/common';
import { AuditLog } from '../audit/audit-log.service.js';
import { type ActDetails, describeAct } from '../audit/describe-act.js';
import { currentOperatorRequest } from '../audit/request-context.js';
import { notFound, orNotFound } from '../http/api-error.js';

/** Adds details to the entry of an act. */
export type Describe = (details: ActDetails) => void;

/** Runs transactions for the tenant in the path of an operator route. */
@Injectable()
export class TenantTransactions {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Runs `work` in a read-only transaction of the tenant: what an operator changes goes through `act`, which records it.
   * Throws a 404 if the tenant does not exist or is being deleted.
   */
  run<T>(tenantId: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.database.readTransaction(tenantId, async (tx) => {
      await requireTenant(tx, tenantId);
      return work(tx);
    });
  }

  /** Reads a page of a list of the tenant. */
  async page<Row, Shown>(
    tenantId: string,
    page: Page,
    present: (row: Row) => Shown,
    read: (tx: Transaction) => Promise<Omit<Rows<Row>, 'total'> & BoundedTotal>,
  ): Promise<{ data: Shown[] } & BoundedTotal & Page> {
    const { rows, ...counted } = await this.run(tenantId, read);
    return { data: rows.map((row) => present(row)), ...counted, ...page };
  }

  /**
   * Runs an act of the operator and appends its audit entry, in one transaction of the tenant. `work` throws what
   * refuses the act. Throws a 404 if the tenant does not exist or is being deleted.
   */
  act<T>(tenantId: string, work: (tx: Transaction, describe: Describe) => Promise<T>): Promise<T> {
    return this.actIn(tenantId, async (tx, describe) => {
      await requireTenant(tx, tenantId);
      return work(tx, describe);
    });
  }

  /** As `act`, for a chain that is no existing tenant. */
  async actIn<T>(chain: string, work: (tx: Transaction, describe: Describe) => Promise<T>): Promise<T> {
    const request = currentOperatorRequest();
    const result = await this.database.transaction(chain, async (tx) => {
      const details: ActDetails = {};
      const done = await work(tx, (given) => void Object.assign(details, given));
      await this.audit.append(tx, chain, describeAct(request, details));
      return done;
    });
    request.audited = true;
    return result;
  }
}

async function requireTenant(tx: Transaction, tenantId: string): Promise<void> {
  const tenant = orNotFound(await findTenant(tx, tenantId));
  if (tenant.deletionRequestedAt !== null) throw notFound();
}
