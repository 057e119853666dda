import { adminRoutes, encodeId, newUuid } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { createTenant, findTenant, listTenants, readExportPosition, updateTenant } from '@idsync/database/gateway';
import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { KeyRing } from '../access/key-ring.service.js';
import { Approvals } from '../approvals/approvals.service.js';
import { badRequest, orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { presentTenant } from './present-tenant.js';
import { requireName, showDeletion } from './tenant-deletion.js';
import { TenantExports } from './tenant-exports.service.js';
import { TenantTransactions } from './tenant-transactions.service.js';

@Controller()
export class TenantsController {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
    private readonly keyRing: KeyRing,
    private readonly exports: TenantExports,
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
    { tenantId, query: { after } }: Input<typeof adminRoutes.exportTenant>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    let lines: Awaited<ReturnType<TenantExports['start']>> | string = '';
    const position = after === undefined ? undefined : readExportPosition(after);
    if (after !== undefined && !position) throw badRequest('after must be the position of a line of an export');
    if (request.method !== 'HEAD') {
      // Before the first line: nothing leaves without an entry in the audit log.
      await this.tenants.act(tenantId, () => Promise.resolve());
      lines = await this.exports.start(tenantId, position);
    }
    void reply.type('application/x-ndjson').send(lines);
  }

  /** Counts what a deletion would remove; once it is requested, shows its progress. */
  @Handles(adminRoutes.getTenantDeletion)
  deletion({ tenantId }: Input<typeof adminRoutes.getTenantDeletion>) {
    return this.database.transaction(tenantId, (tx) => showDeletion(tx));
  }

  /** Stops the keys of the tenant at once. The directory deletes its rows in the background. */
  @Handles(adminRoutes.deleteTenant)
  async delete({ tenantId, body: { name } }: Input<typeof adminRoutes.deleteTenant>) {
    const tenant = await this.database.readTransaction(tenantId, (tx) => requireName(tx, name));
    const given = { tenant_id: encodeId('tenant', tenantId), name };
    const isGuarded = tenant.deletionRequestedAt === null;
    const { waiting, deletion } = await this.approvals.perform(tenantId, 'deleteTenant', given, { isGuarded });
    return waiting ?? orNotFound(deletion);
  }
}
