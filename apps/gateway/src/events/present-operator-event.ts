import { encodeId, type IdKind, recordIds, type responses } from '@idsync/contracts';
import type { EventReference, ListedEvent } from '@idsync/database/gateway';

/** The kind of subject of each kind of event. */
const subjects: Record<string, IdKind> = { identity: 'identity', lifecycle: 'identity', ...recordIds };

const idOf = (kind: IdKind, id: string | null) => (id === null ? undefined : encodeId(kind, id));

export function presentEventReference(row: EventReference): responses.EventReference {
  const subject = subjects[row.type.slice(0, row.type.indexOf('.'))];
  // A mover event has the user as its subject, but reports the identity.
  const subjectId = subject === 'identity' ? (row.identityId ?? row.subjectId) : row.subjectId;
  return {
    id: encodeId('event', row.id),
    event_type: row.type,
    occurred_at: row.occurredAt.toISOString(),
    sequence: row.sequence,
    identity_id: idOf('identity', row.identityId),
    subject_id: subject && idOf(subject, subjectId),
    job_id: idOf('job', row.jobId),
  };
}

export function presentOperatorEvent(row: ListedEvent): responses.OperatorEvent {
  return {
    ...presentEventReference(row),
    name: row.name ?? undefined,
    connector_id: idOf('connector', row.connectorId),
    changed: row.changed,
    deliveries: row.deliveries.map(({ id, webhookId, status }) => ({
      id: encodeId('delivery', id),
      webhook_id: encodeId('webhook', webhookId),
      status,
    })),
  };
}
