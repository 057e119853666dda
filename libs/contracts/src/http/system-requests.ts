import { z } from 'zod';
import { type QueueName, queues } from '../topology.js';
import { limit, nextCursor, oneOf, reason } from './request-parts.js';

const names = Object.keys(queues) as [QueueName, ...QueueName[]];

export const deadLetterQuery = z.strictObject({
  limit,
  cursor: nextCursor,
  queue: oneOf(names, 'Only messages of this queue.'),
});
/** Body of a request that removes a message which is never handled. */
export const discardBody = z.strictObject({ reason: reason.unwrap() });
