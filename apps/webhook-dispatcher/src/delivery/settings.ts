import { defaultLimits } from '../sending/http-sender.js';
import { defaultBreaker } from './breaker.js';
import type { DeliverySettings } from './delivery-context.js';
import { retryDelays } from './retry-schedule.js';

const day = 24 * 60 * 60 * 1_000;

export const defaultSettings: DeliverySettings = {
  slots: 512,
  retrySlots: 384,
  tenantSlots: 256,
  longMs: 1_000,
  longSlots: 4_096,
  tenantLongSlots: 512,
  claimBatch: 256,
  // Twice the exchange limit, which leaves time to write the result.
  leaseMs: 2 * defaultLimits.exchangeMs,
  exchangeMs: defaultLimits.exchangeMs,
  pollMs: 1_000,
  claimPauseMs: 2,
  unsignedPauseMs: 60_000,
  breaker: defaultBreaker,
  retryDelays,
  disableAfterMs: 5 * day,
  batch: 500,
  gatherMs: 10,
  retryMs: 1_000,
};
