import { z } from 'zod';

/** What every message on the bus looks like. Data stays in PostgreSQL; messages carry ids and counts. */
const envelope = {
  /** The same on every redelivery; consumers remember it in their inbox. */
  id: z.uuid(),
  tenant_id: z.uuid(),
  /** W3C Trace Context of what announced it. A malformed one is no reason to give a message up. */
  traceparent: z
    .string()
    .regex(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/)
    .optional()
    .catch(undefined),
};

const jobReference = { job_id: z.uuid() };
const leftOut = z.object({ external_id: z.string(), message: z.string() });
const batchReference = { ...jobReference, seq: z.int().min(0) };

/** Payload of each message, by its type, which is also its routing key. */
export const messageTypes = {
  /** gateway → sync-worker: a job row was born. */
  'sync.job.requested': z.object({ ...envelope, data: z.object(jobReference) }),
  /** gateway → sync-worker: an operator wants the job to end. */
  'sync.job.cancel_requested': z.object({
    ...envelope,
    data: z.object({ ...jobReference, reason: z.string().max(1000).optional(), by: z.string().max(200).optional() }),
  }),
  /** gateway → sync-worker: an operator lets a quarantined job do what it wants to. */
  'sync.job.release_requested': z.object({
    ...envelope,
    data: z.object({ ...jobReference, reason: z.string().max(1000), by: z.string().max(200) }),
  }),
  /** gateway → sync-worker: an operator wants to know whether a connector works; which, stands in connector_probes. */
  'connector.probe.requested': z.object({ ...envelope, data: z.object({ probe_id: z.uuid() }) }),
  /** sync-worker → directory: a batch of records lies in sync_batches. */
  'sync.batch.ready': z.object({ ...envelope, data: z.object(batchReference) }),
  /** The batch of a job of one record, for which somebody is waiting. */
  'sync.record.ready': z.object({ ...envelope, data: z.object(batchReference) }),
  /** directory → sync-worker: that batch was applied, in the transaction that announced it. */
  'sync.batch.applied': z.object({
    ...envelope,
    data: z.object({
      ...batchReference,
      created: z.int().min(0),
      updated: z.int().min(0),
      unchanged: z.int().min(0),
      errors: z.array(leftOut),
    }),
  }),
  /** sync-worker → directory: every batch of the job is applied; what its source no longer lists can go. */
  'sync.sweep.requested': z.object({ ...envelope, data: z.object(jobReference) }),
  /** directory → sync-worker: nothing is left to do for the job. */
  'sync.sweep.ended': z.object({
    ...envelope,
    data: z.object({
      ...jobReference,
      deleted: z.int().min(0),
      /** Why nothing was deleted, or something was held back. */
      note: z.string().optional(),
      /** How often a record was named again by another batch, and which records those are, if they are not too many. */
      repeated: z.int().min(0).optional(),
      errors: z.array(leftOut).optional(),
    }),
  }),
  /** directory → sync-worker: what the job would take away is more than its safeguard lets through. */
  'sync.sweep.held': z.object({ ...envelope, data: z.object({ ...jobReference, note: z.string() }) }),
  /** directory → sync-worker: what this job said of these records was passed over, for another job read them alone meanwhile. */
  'sync.record.overtaken': z.object({
    ...envelope,
    data: z.object({ ...jobReference, external_ids: z.array(z.string()) }),
  }),
  /** sync-worker → directory: the job has ended, so what it brought can be compared as a whole. */
  'sync.job.ended': z.object({ ...envelope, data: z.object(jobReference) }),
  /** gateway → directory: an operator wants something done; what, stands in operations. */
  'directory.operation.requested': z.object({ ...envelope, data: z.object({ operation_id: z.uuid() }) }),
  /** Any service → webhook-dispatcher: events of this tenant with these sequence numbers were committed. */
  'facts.recorded': z.object({
    ...envelope,
    data: z.object({ first_sequence: z.int().min(1), last_sequence: z.int().min(1) }),
  }),
  /** gateway → webhook-dispatcher, and then to itself part by part: deliveries are wanted again; which, stands in webhook_replays. */
  'webhook.replay.requested': z.object({ ...envelope, data: z.object({ replay_id: z.uuid() }) }),
  /** gateway → webhook-dispatcher: what is left of a replay is not wanted any more. */
  'webhook.replay.cancel_requested': z.object({ ...envelope, data: z.object({ replay_id: z.uuid() }) }),
} as const;

export type MessageType = keyof typeof messageTypes;
export type Message<T extends MessageType = MessageType> = z.infer<(typeof messageTypes)[T]>;
export type MessageData<T extends MessageType> = Message<T>['data'];
