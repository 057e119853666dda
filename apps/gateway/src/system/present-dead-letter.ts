import { encodeId, isUuid, type responses, uuidCreatedAt } from '@idsync/contracts';
import { canRequeue, type DeadLetterRow } from '@idsync/database/bus';
import { bounded, masked } from '../audit/mask-secrets.js';

type Envelope = { tenant_id?: unknown; traceparent?: unknown };

export function presentDeadLetter(row: DeadLetterRow): responses.DeadLetter {
  const { tenant_id: tenantId } = envelopeOf(row);
  const sentAt = row.messageId === null ? undefined : uuidCreatedAt(row.messageId);
  return {
    id: deadLetterId(row.id),
    queue: row.queue,
    message_id: row.messageId ?? '',
    type: row.type,
    tenant_id: typeof tenantId === 'string' && isUuid(tenantId) ? encodeId('tenant', tenantId) : undefined,
    reason: row.reason ?? '',
    attempts: row.attempts,
    sent_at: sentAt === undefined ? undefined : new Date(sentAt).toISOString(),
    dead_at: row.deadAt.toISOString(),
    can_requeue: canRequeue(row.type),
  };
}

export function presentDeadLetterDetails(row: DeadLetterRow): responses.DeadLetterDetails {
  const { traceparent } = envelopeOf(row);
  const trace = typeof traceparent === 'string' ? /^00-([0-9a-f]{32})-/.exec(traceparent) : null;
  return { ...presentDeadLetter(row), message: bounded(masked(contentOf(row))), trace_id: trace?.[1] };
}

function envelopeOf(row: DeadLetterRow): Envelope {
  const content = contentOf(row);
  return typeof content === 'object' && content !== null ? content : {};
}

/** Returns the text of a message that is not JSON. */
function contentOf({ message }: DeadLetterRow): unknown {
  try {
    return JSON.parse(message);
  } catch {
    return message;
  }
}

/** Dead letters have the numbers of their rows; as public ids they are UUIDs whose first half is empty. */
export function deadLetterId(number: number): string {
  const hex = number.toString(16).padStart(32, '0');
  const groups = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return encodeId('deadLetter', groups.join('-'));
}

/** Returns 0, which no row has, for a UUID that is no number of a row. */
export function deadLetterNumber(uuid: string): number {
  const number = Number(`0x${uuid.replaceAll('-', '')}`);
  return Number.isSafeInteger(number) ? number : 0;
}
