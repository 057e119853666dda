import type { KeyObject } from 'node:crypto';
import type { Database } from '@idsync/database';
import type { Logger } from '@idsync/runtime';
import type { Sender } from '../sending/send.js';
import type { RecorderSettings } from './attempt-recorder.js';
import type { BreakerSettings } from './breaker.js';
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

export abstract class DeliveryContext {
  abstract readonly database: Database;
  abstract readonly sender: Sender;
  abstract readonly settings: DeliverySettings;
  /** Returns the key in an encrypted secret; undefined if no configured encryption key decrypts it. */
  abstract readonly decryptKey: (encrypted: Buffer, tenantId: string) => Buffer | undefined;
  /** Returns the additional headers of a webhook, under the same condition. */
  abstract readonly decryptHeaders: (encrypted: Buffer, tenantId: string) => Record<string, string> | undefined;
  /** Returns a private key of asymmetric signatures, under the same condition. */
  abstract readonly decryptPrivateKey: (encrypted: Buffer, tenantId: string) => KeyObject | undefined;
  abstract readonly log: Logger;
}
