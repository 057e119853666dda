import type { Database } from '@idsync/database';
import type { Logger } from '@idsync/runtime';
import type { OpenSecret } from '../open-secret.js';
import { defaultLimits, type Sender } from '../sending/http-sender.js';
import type { RecorderSettings } from './attempt-recorder.js';
import { type BreakerSettings, defaultBreaker } from './breaker.js';
import { retryDelays } from './retry-schedule.js';
import type { SlotSettings } from './slots.js';

export interface DeliverySettings extends RecorderSettings, SlotSettings {
  /** Maximum deliveries per claim. */
  claimBatch: number;
  leaseMs: number;
  /** Minimum remaining lease to start an exchange. */
  exchangeMs: number;
  /** Interval between polls for due deliveries. */
  pollMs: number;
  /** Pause between claims, so that slots freed meanwhile are claimed together. */
  claimPauseMs: number;
  /** Delay before a delivery is retried whose secrets could not be decrypted. */
  unsignedPauseMs: number;
  breaker: BreakerSettings;
  retryDelays: readonly number[];
}

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

export abstract class DeliveryContext {
  abstract readonly database: Database;
  abstract readonly sender: Sender;
  abstract readonly settings: DeliverySettings;
  abstract readonly openSecret: OpenSecret;
  abstract readonly log: Logger;
}
