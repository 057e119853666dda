import { z } from 'zod';
import { type QueueName, queues } from '../topology.js';
import { cursor, limit, reason } from './request-parts.js';

const names = Object.keys(queues) as QueueName[];

export const deadLetterQuery = z.strictObject({
  limit,
  cursor,
  queue: z.enum(names, { error: `must be one of ${names.join(', ')}` }).optional(),
});
/** Body of a request that removes a message which is never handled. */
export const discardBody = z.strictObject({ reason: reason.unwrap() });
