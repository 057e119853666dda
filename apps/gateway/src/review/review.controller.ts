import { adminRoutes, decodeId, encodeId, findingSubjects, type IdKind, type responses } from '@idsync/contracts';
import {
  countOpenFindings,
  type FindingRow,
  findCase,
  findComparedFields,
  findFinding,
  listCases,
  listFindings,
  maxCounted,
} from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { actorName } from '../audit/request-context.js';
import { orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { bodyId, optionalUuid } from '../http/ids.js';
import { Operations } from '../operations/operations.service.js';
import { invalidCursor } from '../shared/cursor.js';
import { presentCount } from '../shared/present-count.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { compareFields } from './compare-fields.js';
import { presentCase } from './present-case.js';

const subjects: readonly IdKind[] = ['user', 'account', 'machineIdentity', 'connector'];

/** Findings, and cases of doubtful records: people decide both. */
@Controller()
export class ReviewController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly operations: Operations,
  ) {}

  /** The cursor is the id of the last finding of the previous page. */
  @Handles(adminRoutes.listFindings)
  async listFindings({ tenantId, query }: Input<typeof adminRoutes.listFindings>) {
    const { cursor, subject, limit, ...filter } = query;
    const beforeId = cursor ? decodeId('finding', cursor) : undefined;
    if (cursor && beforeId === undefined) throw invalidCursor();
    const about = subject === undefined ? {} : aboutOne(subject);
    const found = await this.tenants.run(tenantId, (tx) => listFindings(tx, { ...filter, ...about, limit, beforeId }));
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    return { data: page.map(presentFinding), limit, ...(last && { next_cursor: encodeId('finding', last.id) }) };
  }

  @Handles(adminRoutes.countFindings)
  async countFindings({ tenantId }: Input<typeof adminRoutes.countFindings>) {
    const counts = await this.tenants.run(tenantId, (tx) => countOpenFindings(tx));
    const data = counts
      .filter(({ count }) => count > 0)
      .map(({ kind, count }) => ({ kind, ...presentCount(count, maxCounted) }));
    return { data };
  }

  @Handles(adminRoutes.getFinding)
  async getFinding({ tenantId, findingId: id }: Input<typeof adminRoutes.getFinding>) {
    return presentFinding(orNotFound(await this.tenants.run(tenantId, (tx) => findFinding(tx, id))));
  }

  @Handles(adminRoutes.acceptFinding)
  async acceptFinding({
    tenantId,
    findingId: id,
    body: { reason, until, by },
  }: Input<typeof adminRoutes.acceptFinding>) {
    orNotFound(await this.tenants.run(tenantId, (tx) => findFinding(tx, id)));
    return this.operations.request(tenantId, 'finding.accept', { finding_id: id, reason, by: actorName(by), until });
  }

  @Handles(adminRoutes.reopenFinding)
  async reopenFinding({ tenantId, findingId: id, body: { reason } }: Input<typeof adminRoutes.reopenFinding>) {
    orNotFound(await this.tenants.run(tenantId, (tx) => findFinding(tx, id)));
    return this.operations.request(tenantId, 'finding.reopen', { finding_id: id, reason });
  }

  @Handles(adminRoutes.listCases)
  listCases({ tenantId, query: { limit, offset, status } }: Input<typeof adminRoutes.listCases>) {
    return this.tenants.page(tenantId, { limit, offset }, presentCase, (tx) =>
      listCases(tx, { limit, offset, status }),
    );
  }

  @Handles(adminRoutes.getCase)
  async getCase({ tenantId, caseId }: Input<typeof adminRoutes.getCase>) {
    return this.tenants.run(tenantId, async (tx) => {
      const found = orNotFound(await findCase(tx, caseId));
      const { own, others } = await findComparedFields(tx, found);
      const { candidates, ...shown } = presentCase(found);
      const compared = candidates.map((each, at) => ({ ...each, compared: compareFields(own, others[at] ?? []) }));
      return { ...shown, candidates: compared };
    });
  }

  @Handles(adminRoutes.resolveCase)
  async resolveCase({
    tenantId,
    caseId,
    body: { resolution, identity_id, reason },
  }: Input<typeof adminRoutes.resolveCase>) {
    const identityId = optionalUuid('identity', identity_id);
    orNotFound(await this.tenants.run(tenantId, (tx) => findCase(tx, caseId)));
    return this.operations.request(tenantId, 'case.resolve', {
      case_id: caseId,
      resolution,
      ...(identityId !== undefined && { identity_id: identityId }),
      reason,
    });
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
