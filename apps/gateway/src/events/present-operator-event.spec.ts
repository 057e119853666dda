import { encodeId } from '@idsync/contracts';
import type { EventReference, ListedEvent } from '@idsync/database/gateway';
import { describe, expect, it } from '@jest/globals';
import { presentEventReference, presentOperatorEvent } from './present-operator-event.js';

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const row: EventReference = {
  sequence: 7,
  id: uuid(1),
  type: 'user.updated',
  occurredAt: new Date('2026-11-26T08:00:00Z'),
  identityId: uuid(2),
  subjectId: uuid(3),
  jobId: uuid(4),
};

describe('a reference of an event', () => {
  it('has the ids of its subject, person and job', () => {
    expect(presentEventReference(row)).toEqual({
      id: encodeId('event', uuid(1)),
      event_type: 'user.updated',
      occurred_at: '2026-11-26T08:00:00.000Z',
      sequence: 7,
      identity_id: encodeId('identity', uuid(2)),
      subject_id: encodeId('user', uuid(3)),
      job_id: encodeId('job', uuid(4)),
    });
  });

  it('names the person as the subject of an event about a person', () => {
    const mover = { ...row, type: 'lifecycle.mover' };
    expect(presentEventReference(mover).subject_id).toBe(encodeId('identity', uuid(2)));
  });
});

describe('an event in a list of operators', () => {
  it('also has its name, changes and deliveries', () => {
    const delivery = { id: uuid(5), webhookId: uuid(6), status: 'dead' };
    const listed = { ...row, name: 'Ann', connectorId: null, changed: ['email'], deliveries: [delivery] };
    expect(presentOperatorEvent(listed as unknown as ListedEvent)).toMatchObject({
      name: 'Ann',
      connector_id: undefined,
      changed: ['email'],
      deliveries: [{ id: encodeId('delivery', uuid(5)), webhook_id: encodeId('webhook', uuid(6)), status: 'dead' }],
    });
  });
});
