import { z } from 'zod';

/** Fields of every bus message. Data stays in PostgreSQL; messages carry ids and counts. */
const envelope = {
  /** Unchanged on redelivery; consumers store it in their inbox. */
  id: z.uuid(),
  tenant_id: z.uuid(),
  /** W3C Trace Context of the publisher. A malformed value is ignored, so that the message is still handled. */
  traceparent: z
    .string()
    .regex(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/)
    .optional()
    .catch(undefined),
};

const jobReference = { job_id: z.uuid() };
const leftOut = z.object({ external_id: z.string(), line: z.int().optional(), message: z.string() });
const batchReference = { ...jobReference, seq: z.int().min(0) };

/** Payload schema by message type. The type is also the routing key. */
export const messageTypes = {
  /** gateway → sync-worker: a job was queued. */
  'sync.job.requested': z.object({ ...envelope, data: z.object(jobReference) }),
  /** gateway → sync-worker: an operator cancelled the job. */
  'sync.job.cancel_requested': z.object({
    ...envelope,
    data: z.object({ ...jobReference, reason: z.string().max(1000).optional(), by: z.string().max(200).optional() }),
  }),
  /** gateway → sync-worker: an operator released a quarantined job. */
  'sync.job.release_requested': z.object({
    ...envelope,
    data: z.object({ ...jobReference, reason: z.string().max(1000), by: z.string().max(200) }),
  }),
  /** gateway → sync-worker: an operator requested a probe, which is stored in connector_probes. */
  'connector.probe.requested': z.object({ ...envelope, data: z.object({ probe_id: z.uuid() }) }),
  /** sync-worker → directory: a batch of records was written to sync_batches. */
  'sync.batch.ready': z.object({ ...envelope, data: z.object(batchReference) }),
  /**
   * The batch of a job that reads a single record. It has a separate queue because a request waits for the result.
   */
  'sync.record.ready': z.object({ ...envelope, data: z.object(batchReference) }),
  /** directory → sync-worker: the batch was applied. Published in the transaction that applied it. */
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
  /**
   * sync-worker → directory: all batches of the job are applied, so the directory can delete records that the source no
   * longer lists.
   */
  'sync.sweep.requested': z.object({ ...envelope, data: z.object(jobReference) }),
  /** directory → sync-worker: the sweep of the job is complete. */
  'sync.sweep.ended': z.object({
    ...envelope,
    data: z.object({
      ...jobReference,
      deleted: z.int().min(0),
      /** Why nothing was deleted, or some deletions were quarantined. */
      note: z.string().optional(),
      /** How many records appeared again in another batch, or are beyond a quota; `errors` lists up to a thousand of each. */
      repeated: z.int().min(0).optional(),
      errors: z.array(leftOut).optional(),
    }),
  }),
  /**
   * directory → sync-worker: the job would delete, disable, create or change more than its safeguard allows, or left out
   * more. Nothing that its batches have set aside is applied.
   */
  'sync.sweep.held': z.object({ ...envelope, data: z.object({ ...jobReference, note: z.string() }) }),
  /**
   * directory → sync-worker: the job's data of these records was ignored because a record job read them in the
   * meantime.
   */
  'sync.record.overtaken': z.object({
    ...envelope,
    data: z.object({ ...jobReference, external_ids: z.array(z.string()) }),
  }),
  /** sync-worker → directory: the job has ended, so its records can be matched as a whole. */
  'sync.job.ended': z.object({ ...envelope, data: z.object(jobReference) }),
  /** gateway → directory: an operator requested an operation, which is stored in operations. */
  'directory.operation.requested': z.object({ ...envelope, data: z.object({ operation_id: z.uuid() }) }),
  /**
   * gateway → webhook-dispatcher: a replay was requested, which is stored in webhook_replays. The dispatcher publishes
   * it again for each part.
   */
  'webhook.replay.requested': z.object({ ...envelope, data: z.object({ replay_id: z.uuid() }) }),
  /** gateway → webhook-dispatcher: the rest of a replay was cancelled. */
  'webhook.replay.cancel_requested': z.object({ ...envelope, data: z.object({ replay_id: z.uuid() }) }),
} as const;

/** Routing key of `EventsRecorded`, which no queue keeps. The events themselves are in the database and the feed. */
export const eventsRecorded = 'events.recorded';

/** Events of a tenant were committed, up to this sequence. It may be lost, and those of several commits may be one. */
export const eventsRecordedMessage = z.object({
  tenant_id: z.uuid(),
  data: z.object({ last_sequence: z.int().min(1) }),
});
export type EventsRecorded = z.infer<typeof eventsRecordedMessage>;

export type MessageType = keyof typeof messageTypes;
export type Message<T extends MessageType = MessageType> = z.infer<(typeof messageTypes)[T]>;
export type MessageData<T extends MessageType> = Message<T>['data'];
