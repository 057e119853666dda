import { adminRoutes, decodeId, encodeId, findingSubjects, type IdKind, type responses } from '@idsync/contracts';
import { countOpenFindings, type FindingRow, findFinding, listFindings, maxCounted } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { actorName } from '../audit/request-context.js';
import { orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { bodyId } from '../http/ids.js';
import { Operations } from '../operations/operations.service.js';
import { invalidCursor } from '../shared/cursor.js';
import { presentCount } from '../shared/present-count.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';

const subjects: readonly IdKind[] = ['user', 'account', 'machineIdentity', 'connector'];

@Controller()
export class FindingsController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly operations: Operations,
  ) {}

  /** The cursor is the id of the last finding of the previous page. */
  @Handles(adminRoutes.listFindings)
  async list({ tenantId, query }: Input<typeof adminRoutes.listFindings>) {
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

  @Handles(adminRoutes.countFindings)
  async counts({ tenantId }: Input<typeof adminRoutes.countFindings>) {
    const counts = await this.tenants.run(tenantId, (tx) => countOpenFindings(tx, tenantId));
    const data = counts
      .filter(({ count }) => count > 0)
      .map(({ kind, count }) => ({ kind, ...presentCount(count, maxCounted) }));
    return { data };
  }

  @Handles(adminRoutes.getFinding)
  async get({ tenantId, findingId: id }: Input<typeof adminRoutes.getFinding>) {
    return presentFinding(orNotFound(await this.tenants.run(tenantId, (tx) => findFinding(tx, tenantId, id))));
  }

  @Handles(adminRoutes.acceptFinding)
  async accept({ tenantId, findingId: id, body: { reason, until, by } }: Input<typeof adminRoutes.acceptFinding>) {
    orNotFound(await this.tenants.run(tenantId, (tx) => findFinding(tx, tenantId, id)));
    return this.operations.request(tenantId, 'finding.accept', { finding_id: id, reason, by: actorName(by), until });
  }

  @Handles(adminRoutes.reopenFinding)
  async reopen({ tenantId, findingId: id, body: { reason } }: Input<typeof adminRoutes.reopenFinding>) {
    orNotFound(await this.tenants.run(tenantId, (tx) => findFinding(tx, tenantId, id)));
    return this.operations.request(tenantId, 'finding.reopen', { finding_id: id, reason });
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
