import { deliveryStatuses } from '../webhooks.js';
import { limit, type QueryParameter } from './route.js';

export const nextCursor: QueryParameter = {
  name: 'cursor',
  description: 'The `next_cursor` of the previous page; empty or absent for the first page.',
  schema: { type: 'string' },
};

/** Describes why a page of deliveries may be short. */
export const examined =
  'One request examines about 20 000 deliveries, so a page may have fewer than `limit` items, or none, although more follow. The list ends where `next_cursor` is absent.';

/** Query parameters of the lists of deliveries. */
export const deliveryParameters: QueryParameter[] = [
  limit,
  nextCursor,
  {
    name: 'status',
    description: 'Only deliveries in this status.',
    schema: { type: 'string', enum: [...deliveryStatuses] },
  },
  { name: 'event_type', description: 'Only deliveries of events of this type.', schema: { type: 'string' } },
  {
    name: 'since',
    description: 'Only events that occurred at this time or later.',
    schema: { type: 'string', format: 'date-time' },
  },
  {
    name: 'until',
    description: 'Only events that occurred before this time.',
    schema: { type: 'string', format: 'date-time' },
  },
];
