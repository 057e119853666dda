import { adminRoutes, auditRequests, installationId, type responses } from '@idsync/contracts';
import { Database } from '@idsync/database';
import {
  type AuditRow,
  listAudit,
  listAuditEverywhere,
  type Verification,
  verifyAudit,
} from '@idsync/database/gateway';
import { Controller, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { Handles, type Input } from '../http/handles.decorator.js';
import { readCursor, readSequence, writeCursor, writeSequence } from '../shared/cursor.js';
import { GatewaySettings } from '../shared/gateway-settings.service.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';

type VerificationQuery = z.infer<typeof auditRequests.auditVerificationQuery>;

@Controller()
export class AuditController {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
    private readonly settings: GatewaySettings,
  ) {}

  /** A caller of some tenants sees entries of these. */
  @Handles(adminRoutes.listAllAudit)
  async everywhere(
    { query: { cursor, request_id, ...query } }: Input<typeof adminRoutes.listAllAudit>,
    @Req() { caller }: FastifyRequest,
  ) {
    const after = cursor === undefined ? undefined : readCursor(cursor);
    const tenantIds = caller?.access === 'operator' ? caller.tenantIds : new Set<string>();
    const { rows, next } = await this.database.acrossTenants((tx) =>
      listAuditEverywhere(tx, {
        ...query,
        requestId: request_id,
        after,
        ...(tenantIds && { chains: [...tenantIds] }),
      }),
    );
    return { data: rows.map(presentEntry), limit: query.limit, ...(next && { next_cursor: writeCursor(next) }) };
  }

  @Handles(adminRoutes.getInstallationAuditVerification)
  verifyInstallation({ query }: Input<typeof adminRoutes.getInstallationAuditVerification>) {
    return this.verify(installationId, query);
  }

  @Handles(adminRoutes.listAudit)
  async ofTenant({ tenantId, query: { cursor, order, request_id, ...query } }: Input<typeof adminRoutes.listAudit>) {
    const after = cursor === undefined ? undefined : readSequence(cursor);
    const { rows, next } = await this.tenants.run(tenantId, (tx) =>
      listAudit(tx, tenantId, { ...query, requestId: request_id, after, oldestFirst: order === 'asc' }),
    );
    return {
      data: rows.map(presentEntry),
      limit: query.limit,
      ...(next !== undefined && { next_cursor: writeSequence(next) }),
    };
  }

  @Handles(adminRoutes.getAuditVerification)
  async verifyTenant({ tenantId, query }: Input<typeof adminRoutes.getAuditVerification>) {
    await this.tenants.require(tenantId);
    return this.verify(tenantId, query);
  }

  private async verify(chain: string, { after, known }: VerificationQuery): Promise<responses.AuditVerification> {
    const found = await this.database.acrossTenants((tx) =>
      verifyAudit(tx, chain, this.settings.encryptionKeys, {
        after,
        limit: auditRequests.maxVerified,
        known: known ? [known] : [],
      }),
    );
    return presentVerification(found);
  }
}

function presentEntry({ entry, hash }: AuditRow): responses.AuditEntry {
  return { ...(JSON.parse(entry) as Omit<responses.AuditEntry, 'hash'>), hash: hash.toString('hex') };
}

function presentVerification({ head, next, ...rest }: Verification): responses.AuditVerification {
  return {
    ...rest,
    head: head && { sequence: head.sequence, hash: head.hash.toString('hex'), at: head.at.toISOString() },
    next_after: next,
  };
}
