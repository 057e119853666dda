import { deliveryStatuses } from '../fixed-values.js';
import { choice, limit, type QueryParameter, textParameter, timeParameter } from './route.js';

export const nextCursor = textParameter(
  'cursor',
  'The `next_cursor` of the previous page; empty or absent for the first page.',
);

/** Describes why a page of deliveries may be short. */
export const examined =
  'One request examines about 20 000 deliveries, so a page may have fewer than `limit` items, or none, although more follow. The list ends where `next_cursor` is absent.';

/** Query parameters of the lists of deliveries. */
export const deliveryParameters: QueryParameter[] = [
  limit,
  nextCursor,
  choice('status', 'Only deliveries in this status.', deliveryStatuses),
  textParameter('event_type', 'Only deliveries of events of this type.'),
  timeParameter('since', 'Only events that occurred at this time or later.'),
  timeParameter('until', 'Only events that occurred before this time.'),
];
