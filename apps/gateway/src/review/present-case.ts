import { encodeId, recordIds, type responses } from '@idsync/contracts';
import type { CaseRow } from '@idsync/database/gateway';

export function presentCase(row: CaseRow): responses.ReviewCase {
  return {
    id: encodeId('case', row.id),
    status: row.status,
    kind: row.kind,
    reason: row.reason,
    opened_at: row.openedAt.toISOString(),
    closed_at: row.closedAt?.toISOString(),
    operation_id: row.operationId === null ? undefined : encodeId('operation', row.operationId),
    record: {
      id: encodeId(recordIds[row.recordKind], row.recordId),
      kind: row.recordKind,
      connector_id: encodeId('connector', row.connectorId),
      external_id: row.externalId,
      identity_id: row.identityId === null ? undefined : encodeId('identity', row.identityId),
      document: JSON.parse(row.document) as Record<string, unknown>,
    },
    candidates: row.candidates.map(({ identity_id, display_name, score, evidence }) => ({
      identity_id: encodeId('identity', identity_id),
      display_name: display_name ?? undefined,
      score,
      evidence,
    })),
  };
}
