import { z } from 'zod';

/**
 * Outcome of a delivery attempt. `delivered`: any 2xx; `rejected`: any other response; `blocked`: the address is not
 * allowed, so no request was sent; `unsigned`: none of the secrets could be decrypted; `unknown`: the process died
 * before it could store the outcome.
 */
export const attemptOutcomes = [
  'delivered',
  'rejected',
  'timed_out',
  'unresolved',
  'unreachable',
  'tls_failed',
  'blocked',
  'unsigned',
  'unknown',
] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];

/** A request to a receiver, without its body. */
export interface SentRequest {
  url: string;
  headers: Record<string, string>;
}

/** `closed`: calls are allowed; `open`: no calls; `half_open`: one call at a time tests the endpoint. */
export const breakerStates = ['closed', 'open', 'half_open'] as const;
export type BreakerState = (typeof breakerStates)[number];

/** `full`: the resource | `thin`: only ids, for receivers that must not get data of people. */
export const payloadForms = ['full', 'thin'] as const;
export type PayloadForm = (typeof payloadForms)[number];

/** The party that made a webhook inactive. */
export const inactivators = ['client', 'service'] as const;

export const replayKinds = ['resend', 'replay', 'requeue'] as const;
export type ReplayKind = (typeof replayKinds)[number];
export const replayStatuses = ['queued', 'running', 'done', 'cancelled'] as const;
export type ReplayStatus = (typeof replayStatuses)[number];

/** Selects the deliveries of a webhook to replay; ids are bare uuids here. */
export const replayFilter = z.strictObject({
  /** `resend`: this delivery. */
  delivery_id: z.guid().optional(),
  /** `replay`: events that occurred at or after `since` and before `until`. */
  since: z.iso.datetime().optional(),
  until: z.iso.datetime().optional(),
  /** `replay`: only these types or prefixes, or `*`, among those that the webhook subscribes to. */
  events: z.array(z.string()).optional(),
});
export type ReplayFilter = z.infer<typeof replayFilter>;
