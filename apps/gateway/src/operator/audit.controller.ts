import { auditRequests, installationId, type responses } from '@idsync/contracts';
import { Database } from '@idsync/database';
import {
  type AuditRow,
  listAudit,
  listAuditEverywhere,
  type Verification,
  verifyAudit,
} from '@idsync/database/gateway';
import { Controller, Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { TenantParam } from '../http/public-id.pipe.js';
import { ZodQuery } from '../http/zod.pipe.js';
import { readCursor, readSequence, writeCursor, writeSequence } from '../shared/cursor.js';
import { GatewaySettings } from '../shared/gateway-settings.service.js';
import { TenantTransactions } from './tenant-transactions.service.js';

type Query = z.infer<typeof auditRequests.auditQuery>;
type TenantQuery = z.infer<typeof auditRequests.tenantAuditQuery>;
type VerificationQuery = z.infer<typeof auditRequests.auditVerificationQuery>;

@Controller('admin/v1')
@OperatorAccess()
export class AuditController {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
    private readonly settings: GatewaySettings,
  ) {}

  /** A caller of some tenants sees entries of these. */
  @Get('audit')
  async everywhere(
    @ZodQuery(auditRequests.auditQuery) { cursor, request_id, ...query }: Query,
    @Req() { caller }: FastifyRequest,
  ): Promise<object> {
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

  @Get('audit/verification')
  verifyInstallation(@ZodQuery(auditRequests.auditVerificationQuery) query: VerificationQuery): Promise<object> {
    return this.verify(installationId, query);
  }

  @Get('tenants/:tenantId/audit')
  async ofTenant(
    @TenantParam() tenantId: string,
    @ZodQuery(auditRequests.tenantAuditQuery) { cursor, order, request_id, ...query }: TenantQuery,
  ): Promise<object> {
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

  @Get('tenants/:tenantId/audit/verification')
  async verifyTenant(
    @TenantParam() tenantId: string,
    @ZodQuery(auditRequests.auditVerificationQuery) query: VerificationQuery,
  ): Promise<object> {
    await this.tenants.run(tenantId, async () => undefined);
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
