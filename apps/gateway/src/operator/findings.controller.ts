import {
  decodeId,
  encodeId,
  type FindingPolicy,
  findingPolicy,
  findingSubjects,
  type IdKind,
  requests,
  type responses,
} from '@idsync/contracts';
import { type FindingRow, findFinding, listFindings, saveFindingPolicy } from '@idsync/database/gateway';
import { findFindingPolicy } from '@idsync/database/settings';
import { Controller, Get, Post, Put } from '@nestjs/common';
import type { z } from 'zod';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { actorName } from '../audit/request-context.js';
import { orNotFound } from '../http/api-error.js';
import { bodyId } from '../http/ids.js';
import { MayTakeLonger, type Progress } from '../http/may-take-longer.interceptor.js';
import { PublicId, TenantParam } from '../http/public-id.pipe.js';
import { ZodBody, ZodQuery } from '../http/zod.pipe.js';
import { invalidCursor } from '../shared/cursor.js';
import { Operations } from './operations.service.js';
import { presentFindingPolicy, requireConnectors, storedFindingPolicy } from './rule-inputs.js';
import { TenantTransactions } from './tenant-transactions.service.js';

const subjects: readonly IdKind[] = ['user', 'account', 'machineIdentity', 'connector'];

@Controller('admin/v1/tenants/:tenantId')
@OperatorAccess()
export class FindingsController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly operations: Operations,
  ) {}

  /** The cursor is the id of the last finding of the previous page. */
  @Get('findings')
  async list(
    @TenantParam() tenantId: string,
    @ZodQuery(requests.findingQuery) query: z.infer<typeof requests.findingQuery>,
  ): Promise<object> {
    const { cursor, subject, limit, ...filter } = query;
    const beforeId = cursor ? decodeId('finding', cursor) : undefined;
    if (cursor && beforeId === undefined) throw invalidCursor();
    const about = subject === undefined ? {} : aboutOne(subject);
    const found = await this.tenants.run(tenantId, (tx) =>
      listFindings(tx, tenantId, { ...filter, ...about, limit, beforeId }),
    );
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    return { data: page.map(presentFinding), limit, ...(last && { next_cursor: encodeId('finding', last.id) }) };
  }

  @Get('findings/:findingId')
  async get(@TenantParam() tenantId: string, @PublicId('finding', 'findingId') id: string): Promise<object> {
    return presentFinding(orNotFound(await this.tenants.run(tenantId, (tx) => findFinding(tx, tenantId, id))));
  }

  @Post('findings/:findingId/accept')
  @MayTakeLonger()
  async accept(
    @TenantParam() tenantId: string,
    @PublicId('finding', 'findingId') id: string,
    @ZodBody(requests.acceptFindingBody) { reason, until, by }: z.infer<typeof requests.acceptFindingBody>,
  ): Promise<Progress> {
    orNotFound(await this.tenants.run(tenantId, (tx) => findFinding(tx, tenantId, id)));
    return this.operations.request(tenantId, 'finding.accept', { finding_id: id, reason, by: actorName(by), until });
  }

  @Post('findings/:findingId/reopen')
  @MayTakeLonger()
  async reopen(
    @TenantParam() tenantId: string,
    @PublicId('finding', 'findingId') id: string,
    @ZodBody(requests.reasonBody) { reason }: z.infer<typeof requests.reasonBody>,
  ): Promise<Progress> {
    orNotFound(await this.tenants.run(tenantId, (tx) => findFinding(tx, tenantId, id)));
    return this.operations.request(tenantId, 'finding.reopen', { finding_id: id, reason });
  }

  @Get('finding-policy')
  async getPolicy(@TenantParam() tenantId: string): Promise<FindingPolicy> {
    const policy = await this.tenants.run(tenantId, (tx) => findFindingPolicy(tx, tenantId));
    return presentFindingPolicy(policy);
  }

  @Put('finding-policy')
  async replacePolicy(
    @TenantParam() tenantId: string,
    @ZodBody(findingPolicy) body: FindingPolicy,
  ): Promise<FindingPolicy> {
    const policy = storedFindingPolicy(body);
    await this.tenants.act(tenantId, async (tx, describe) => {
      const connectors = policy.connector_stale_hours.map(({ connector_id }) => connector_id);
      await requireConnectors(tx, tenantId, connectors);
      const before = presentFindingPolicy(await findFindingPolicy(tx, tenantId));
      describe({ before, after: body });
      await saveFindingPolicy(tx, tenantId, policy);
    });
    return body;
  }
}

/** An identity stands for all findings that concern it. */
function aboutOne(subject: string): { identityId: string } | { subjectId: string } {
  const identityId = decodeId('identity', subject);
  return identityId === undefined ? { subjectId: bodyId(subjects, subject) } : { identityId };
}

function presentFinding(row: FindingRow): responses.Finding {
  return {
    id: encodeId('finding', row.id),
    kind: row.kind,
    state: row.state,
    subject_id: encodeId(findingSubjects[row.kind], row.subjectId),
    identity_id: row.identityId === null ? undefined : encodeId('identity', row.identityId),
    evidence: row.evidence,
    opened_at: row.openedAt.toISOString(),
    resolved_at: row.resolvedAt?.toISOString(),
    accepted:
      row.acceptedAt === null
        ? undefined
        : {
            by: row.acceptedBy ?? '',
            reason: row.acceptedReason ?? '',
            at: row.acceptedAt.toISOString(),
            until: row.acceptedUntil?.toISOString(),
          },
    name: row.name ?? undefined,
    connector_id: row.connectorId === null ? undefined : encodeId('connector', row.connectorId),
  };
}
