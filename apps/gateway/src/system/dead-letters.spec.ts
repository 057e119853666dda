import { decodeId, encodeId, newUuid } from '@idsync/contracts';
import type { DeadLetterRow } from '@idsync/database/bus';
import { describe, expect, it } from '@jest/globals';
import { deadLetterId, deadLetterNumber, presentDeadLetter, presentDeadLetterDetails } from './present-dead-letter.js';

describe('the id of a dead letter', () => {
  it.each([1, 255, 4_294_967_296, Number.MAX_SAFE_INTEGER])('contains the number of its row: %d', (number) => {
    expect(deadLetterNumber(decodeId('deadLetter', deadLetterId(number)) ?? '')).toBe(number);
  });

  it('is of no row if it is another UUID', () => {
    expect(deadLetterNumber(newUuid())).toBe(0);
  });
});

describe('a dead letter', () => {
  const tenant = newUuid();
  const row: DeadLetterRow = {
    id: 7,
    queue: 'directory.batches',
    messageId: newUuid(),
    type: 'sync.batch.ready',
    message: JSON.stringify({ tenant_id: tenant, traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, data: {} }),
    attempts: 10,
    deadAt: new Date('2026-11-24T12:00:00Z'),
    reason: 'the source is empty',
  };

  it('shows its tenant, its error, its trace, and when it was sent', () => {
    const shown = presentDeadLetterDetails(row);
    expect(shown).toMatchObject({
      tenant_id: encodeId('tenant', tenant),
      reason: 'the source is empty',
      attempts: 10,
      can_requeue: true,
      trace_id: 'a'.repeat(32),
    });
    expect(Date.now() - Date.parse(shown.sent_at ?? '')).toBeLessThan(60_000);
  });

  it('shows a malformed message as text, without a tenant', () => {
    expect(presentDeadLetterDetails({ ...row, message: 'no JSON' })).toMatchObject({ message: 'no JSON' });
    expect(presentDeadLetter({ ...row, message: '{"tenant_id":1}' }).tenant_id).toBeUndefined();
    expect(presentDeadLetter({ ...row, message: 'null', messageId: null }).sent_at).toBeUndefined();
  });

  it('cannot be sent again if no queue receives its type', () => {
    expect(presentDeadLetter({ ...row, type: 'from.the.future' }).can_requeue).toBe(false);
  });

  it('shows no secret, and a large message by its size', () => {
    const secret = JSON.stringify({ data: { token: 'x' } });
    expect(presentDeadLetterDetails({ ...row, message: secret }).message).toEqual({ data: { token: '[masked]' } });
    const large = JSON.stringify({ data: 'x'.repeat(20_000) });
    expect(presentDeadLetterDetails({ ...row, message: large }).message).toMatchObject({ omitted: true });
  });
});
