import { bigint, entity, type RowOf, timestamptz, uuid } from './entity.js';

export const EventSequenceEntity = entity('event_sequences', {
  tenantId: uuid({ primary: true }),
  last: bigint(),
  /** The last time that was assigned to a change or an event; null before the first one. */
  lastAt: timestamptz({ nullable: true }),
});
export type EventSequenceEntity = RowOf<typeof EventSequenceEntity>;
