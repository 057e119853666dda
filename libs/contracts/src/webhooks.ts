import { z } from 'zod';

/**
 * How an attempt at a delivery ended. `delivered` is any 2xx; `rejected` any other answer; `blocked` means that the address is not one we
 * call, so the receiver was never asked; `unsigned` that none of its secrets could be opened; `unknown` that the process which made it died before it could tell.
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

/** `dead`: every attempt of the schedule has failed; an operator may have it sent again. */
export const deliveryStatuses = ['pending', 'delivered', 'dead'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** `open`: the endpoint is not called; `half_open`: one call at a time finds out; `closed`: as many as there is room for. */
export const breakerStates = ['closed', 'open', 'half_open'] as const;
export type BreakerState = (typeof breakerStates)[number];

export const replayKinds = ['resend', 'replay', 'requeue'] as const;
export type ReplayKind = (typeof replayKinds)[number];
export const replayStatuses = ['queued', 'running', 'done', 'cancelled'] as const;
export type ReplayStatus = (typeof replayStatuses)[number];

/** Which deliveries of its webhook a replay is about; ids are bare uuids here. */
export const replayFilter = z.strictObject({
  /** `resend`: this one. */
  delivery_id: z.guid().optional(),
  /** `replay`: events that occurred from here on, and before there. */
  since: z.iso.datetime().optional(),
  until: z.iso.datetime().optional(),
  /** `replay`: only these types, prefixes or all, of those that the webhook wants. */
  events: z.array(z.string()).optional(),
});
export type ReplayFilter = z.infer<typeof replayFilter>;
