import { encodeId, findingSubjects, type responses } from '@idsync/contracts';
import type { FindingRow } from '@idsync/database/gateway';

export function presentFinding(row: FindingRow): responses.Finding {
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
