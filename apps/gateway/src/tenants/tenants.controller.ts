import { adminRoutes, encodeId, installationId, newUuid, type responses } from '@idsync/contracts';
import { Database, type Transaction } from '@idsync/database';
import {
  createTenant,
  findTenant,
  findTenantDeletion,
  listTenants,
  lockTenant,
  requestTenantDeletion,
  updateTenant,
} from '@idsync/database/gateway';
import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { KeyRing } from '../access/key-ring.service.js';
import { Approvals } from '../approvals/approvals.service.js';
import { AuditLog } from '../audit/audit-log.service.js';
import { describeAct } from '../audit/describe-act.js';
import { badRequest, orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { presentTenant, presentTenantDeletion } from './present-tenant.js';
import { TenantExports } from './tenant-exports.service.js';
import { TenantTransactions } from './tenant-transactions.service.js';

@Controller()
export class TenantsController {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
    private readonly keyRing: KeyRing,
    private readonly exports: TenantExports,
    private readonly audit: AuditLog,
    private readonly approvals: Approvals,
  ) {}

  @Handles(adminRoutes.createTenant)
  async create({ body: { name } }: Input<typeof adminRoutes.createTenant>) {
    const id = newUuid();
    return this.tenants.actIn(id, async (tx, describe) => {
      const after = presentTenant(await createTenant(tx, id, name));
      describe({ resource: after.id, after });
      return after;
    });
  }

  @Handles(adminRoutes.listTenants)
  async list({ query: page }: Input<typeof adminRoutes.listTenants>, @Req() { caller }: FastifyRequest) {
    const ids = caller?.access === 'operator' ? caller.tenantIds : new Set<string>();
    const { rows, total } = await this.database.acrossTenants((tx) => listTenants(tx, page, ids && [...ids]));
    return { data: rows.map((row) => presentTenant(row)), total, ...page };
  }

  /** Renames, suspends or resumes a tenant. Its keys answer 403 while it is suspended. */
  @Handles(adminRoutes.updateTenant)
  async update({ tenantId, body: patch }: Input<typeof adminRoutes.updateTenant>) {
    const after = await this.tenants.act(tenantId, async (tx, describe) => {
      const before = presentTenant(orNotFound(await findTenant(tx, tenantId)));
      const updated = presentTenant(orNotFound(await updateTenant(tx, tenantId, patch)));
      describe({ before, after: updated });
      return updated;
    });
    this.keyRing.clear();
    return after;
  }

  @Handles(adminRoutes.getTenant)
  async get({ tenantId }: Input<typeof adminRoutes.getTenant>) {
    return presentTenant(orNotFound(await this.database.readTransaction(tenantId, (tx) => findTenant(tx, tenantId))));
  }

  /** Streams JSON lines. A HEAD request exports nothing. */
  @Handles(adminRoutes.exportTenant)
  async export(
    { tenantId }: Input<typeof adminRoutes.exportTenant>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    let lines: Awaited<ReturnType<TenantExports['start']>> | string = '';
    if (request.method !== 'HEAD') {
      // Before the first line: nothing leaves without an entry in the audit log.
      await this.tenants.act(tenantId, () => Promise.resolve());
      lines = await this.exports.start(tenantId);
    }
    void reply.type('application/x-ndjson').send(lines);
  }

  /** Counts what a deletion would remove; once it is requested, shows its progress. */
  @Handles(adminRoutes.getTenantDeletion)
  deletion({ tenantId }: Input<typeof adminRoutes.getTenantDeletion>) {
    return this.database.transaction(tenantId, (tx) => shownDeletion(tx, tenantId));
  }

  /** Stops the keys of the tenant at once. The directory deletes its rows in the background. */
  @Handles(adminRoutes.deleteTenant)
  async delete({ tenantId, body: { name } }: Input<typeof adminRoutes.deleteTenant>, @Req() request: FastifyRequest) {
    const checked = async (tx: Transaction) => {
      const actual = orNotFound(await lockTenant(tx, tenantId));
      if (name !== actual)
        throw badRequest(`name must be the name of the tenant, ${JSON.stringify(actual)}, got ${JSON.stringify(name)}`);
    };
    const tenant = await this.database.transaction(tenantId, async (tx) => {
      await checked(tx);
      return orNotFound(await findTenant(tx, tenantId));
    });
    if (tenant.deletionRequestedAt === null) {
      const given = { tenant_id: encodeId('tenant', tenantId), name };
      const waiting = await this.approvals.request(tenantId, 'deleteTenant', given);
      if (waiting) return waiting;
    }
    // The log of the tenant is deleted with it, so the one of the installation keeps who deleted it.
    await this.audit.record(installationId, describeAct(request, {}));
    const shown = await this.tenants.actIn(tenantId, async (tx) => {
      await checked(tx);
      await requestTenantDeletion(tx, tenantId);
      return shownDeletion(tx, tenantId);
    });
    this.keyRing.clear();
    return shown;
  }
}

async function shownDeletion(tx: Transaction, tenantId: string): Promise<responses.TenantDeletion> {
  const tenant = orNotFound(await findTenant(tx, tenantId));
  return presentTenantDeletion(tenant, orNotFound(await findTenantDeletion(tx, tenantId)));
}
