import { z } from 'zod';
import { queues, services } from '../topology.js';
import { dateTime, nextCursor, oneOf, text } from './resources.js';

const queueName = oneOf(Object.keys(queues));
const service = oneOf(services);
const upTo = 'Counted up to 1000.';
const waiting = 'Messages that wait; rows of PostgreSQL are counted up to 1000. Absent if the broker does not answer.';

export const systemVersions = z.strictObject({
  idsync: text.describe('Version of the gateway that answers.'),
  node: text,
  schema: text.describe('The newest migration that was applied.'),
  schema_state: oneOf(
    ['current', 'newer', 'older'],
    'Compared with the migrations of this gateway. newer: a roll-out is in progress.',
  ),
  postgresql: text,
});

export const systemBroker = z.strictObject({
  kind: oneOf(['rabbitmq', 'postgresql'], 'postgresql: queues are rows of the database'),
  connected: z.boolean().describe('Whether this gateway is connected to the broker.'),
  version: text.optional().describe('Absent without RabbitMQ, and while it is not connected.'),
});

export const serviceProcess = z.strictObject({
  service,
  version: text,
  host: text.describe('Name of the machine or container.'),
  started_at: dateTime,
  seen_at: dateTime.describe('A process reports every 30 seconds.'),
  responding: z.boolean().describe('False if the last report is older than 100 seconds.'),
  broker_connected: z.boolean(),
  outbox_messages: z.int().describe(`Messages of its service that wait to be published. ${upTo}`),
  outbox_lag_seconds: z.number().describe('Age of the oldest of them.'),
});

export const systemQueue = z.strictObject({
  name: queueName,
  service,
  messages: z.int().optional().describe(waiting),
  lag_seconds: z.number().optional().describe('Age of the oldest waiting message. RabbitMQ does not report it.'),
  consumers: z.int().optional().describe('Processes that consume the queue. RabbitMQ only.'),
  dead_letters: z.int().describe(upTo),
});

export const system = z.strictObject({
  versions: systemVersions,
  broker: systemBroker,
  processes: z.array(serviceProcess).describe('Those that have reported within the last day, at most 200.'),
  queues: z.array(systemQueue),
  fan_out: z.strictObject({
    tenants: z.int().describe('Tenants with events that are not yet assigned to webhooks.'),
    events: z.int().describe('Number of these events.'),
  }),
  metrics_url: text.optional().describe('Address of the dashboard, if `METRICS_URL` is set.'),
});

const deadLetterFields = {
  id: text,
  queue: queueName,
  message_id: text.describe('As in logs and traces.'),
  type: text,
  tenant_id: text.optional().describe('Absent if the message is malformed.'),
  reason: text.describe('Error of the last attempt.'),
  attempts: z.int(),
  sent_at: dateTime.optional(),
  dead_at: dateTime,
  can_requeue: z.boolean().describe('False if no queue of this version receives messages of this type.'),
};
export const deadLetter = z.strictObject(deadLetterFields);
export const deadLetterPage = z.strictObject({ data: z.array(deadLetter), limit: z.int(), next_cursor: nextCursor });
export const deadLetterDetails = z.strictObject({
  ...deadLetterFields,
  message: z.unknown().describe('The message as it was sent, without secrets; a text if it is not JSON.'),
  trace_id: text.optional(),
});

export type System = z.infer<typeof system>;
export type SystemQueue = z.infer<typeof systemQueue>;
export type ServiceProcess = z.infer<typeof serviceProcess>;
export type DeadLetter = z.infer<typeof deadLetter>;
export type DeadLetterDetails = z.infer<typeof deadLetterDetails>;
