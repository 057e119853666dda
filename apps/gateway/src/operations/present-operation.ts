import { encodeId, publicResult, type responses } from '@idsync/contracts';
import type { OperationRow } from '@idsync/database/gateway';

export function presentOperation(row: OperationRow): responses.Operation {
  return {
    operation_id: encodeId('operation', row.id),
    type: row.type,
    status: row.status,
    created_at: row.createdAt.toISOString(),
    ended_at: row.endedAt?.toISOString(),
    reason: row.input.reason,
    preview: row.input.preview === true ? true : undefined,
    result: row.result === null ? undefined : publicResult(row.type, row.result),
    progress: row.status === 'running' || row.status === 'cancelled' ? (row.progress ?? undefined) : undefined,
    reverted_by: row.revertedBy === null ? undefined : encodeId('operation', row.revertedBy),
  };
}
