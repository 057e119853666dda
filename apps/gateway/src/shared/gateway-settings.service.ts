import { addressVetter, type GatewayConfig, type VetAddress } from '@idsync/runtime';
import { Injectable } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import type { EncryptionKeys } from '../housekeeping/reencrypt-secrets.js';

/** Parsed settings that several modules of the gateway use. */
@Injectable()
export class GatewaySettings {
  /** The first key encrypts; the others only decrypt. */
  readonly encryptionKeys: EncryptionKeys;
  /** Checks the addresses that webhooks may call. */
  readonly vet: VetAddress;

  constructor(config: ConfigService<GatewayConfig, true>) {
    this.encryptionKeys = [
      config.get('ENCRYPTION_KEY', { infer: true }),
      ...config.get('ENCRYPTION_KEYS_PREVIOUS', { infer: true }),
    ];
    this.vet = addressVetter(config.get('WEBHOOK_ALLOW_CIDRS', { infer: true }));
  }
}
