import { Database, type Transaction } from '@idsync/database';
import { type AuditInput, type BoundedTotal, findTenant, type Page, type Rows } from '@idsync/database/gateway';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { routeDefinitionOf } from '../access/route-definition.js';
import { AuditLog } from '../audit/audit-log.service.js';
import { type ActDetails, describeAct } from '../audit/describe-act.js';
import { currentCaller, currentRequest } from '../audit/request-context.js';
import { notFound, orNotFound } from '../http/api-error.js';

/** Adds details to the entry of an act. */
export type Describe = (details: ActDetails) => void;

/** Runs transactions of the current request, of a client or an operator, for its tenant. */
@Injectable()
export class TenantTransactions {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Runs `work` in a read-only transaction of the tenant: changes go through `act`, which records them. Throws a 404 to an
   * operator if the tenant does not exist or is being deleted.
   */
  run<T>(tenantId: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.database.readTransaction(tenantId, async (tx) => {
      await requireTenant(tx);
      return work(tx);
    });
  }

  /** Throws a 404 for an operator if the tenant does not exist or is being deleted. */
  async require(tenantId: string): Promise<void> {
    if (currentCaller().access === 'operator') await this.run(tenantId, async () => undefined);
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
   * Runs an act and appends its audit entry, in one transaction of the tenant. `work` throws what refuses the act.
   * Throws a 404 to an operator if the tenant does not exist or is being deleted.
   */
  act<T>(tenantId: string, work: (tx: Transaction, describe: Describe) => Promise<T>): Promise<T> {
    return this.actIn(tenantId, async (tx, describe) => {
      await requireTenant(tx);
      return work(tx, describe);
    });
  }

  /** As `act`, for a chain that is no existing tenant. */
  async actIn<T>(chain: string, work: (tx: Transaction, describe: Describe) => Promise<T>): Promise<T> {
    const request = currentRequest();
    const result = await this.database.transaction(chain, async (tx) => {
      const details: ActDetails = {};
      const done = await work(tx, (given) => void Object.assign(details, given));
      const entry = entryOf(request, details);
      if (entry) await this.audit.append(tx, chain, entry);
      return done;
    });
    request.audited = true;
    return result;
  }
}

/**
 * Describes an act. Of clients, the log has acts of a key that concern credentials, and changes by holders of portal
 * links, whose names the client does not know.
 */
function entryOf(request: FastifyRequest, details: ActDetails): AuditInput | undefined {
  const { portal, recorded } = routeDefinitionOf(request) ?? {};
  const { access } = currentCaller();
  if (access === 'portal-link') return portal === 'change' ? describeAct(request, {}) : undefined;
  return access === 'operator' || recorded ? describeAct(request, details) : undefined;
}

/** The key of a client is proof of its tenant. */
async function requireTenant(tx: Transaction): Promise<void> {
  if (currentCaller().access !== 'operator') return;
  const tenant = orNotFound(await findTenant(tx, tx.tenantId));
  if (tenant.deletionRequestedAt !== null) throw notFound();
}
