import { encodeId, findingSubjects } from '@idsync/contracts';
import type { NewEvent } from '@idsync/database/bus';
import type { StoredFinding } from '@idsync/database/directory';

/** Returns the event of a finding, which contains ids and statuses only, so that an erasure need not change it. */
export function findingEvent(finding: StoredFinding, operationId?: string): NewEvent {
  const { id, kind, state, subjectId, identityId, evidence, openedAt, resolvedAt } = finding;
  return {
    type: state === 'resolved' ? 'finding.resolved' : 'finding.opened',
    subjectId: id,
    details: {
      id: encodeId('finding', id),
      kind,
      state,
      subject_id: encodeId(findingSubjects[kind], subjectId),
      ...(identityId && { identity_id: encodeId('identity', identityId) }),
      evidence,
      opened_at: openedAt.toISOString(),
      ...(resolvedAt && { resolved_at: resolvedAt.toISOString() }),
      ...(operationId && { operation_id: encodeId('operation', operationId) }),
    },
  };
}
