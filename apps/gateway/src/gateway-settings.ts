import type { VetAddress } from '@idsync/runtime';
import type { SealingKeys } from './reseal-secrets.js';

/** What the gateway's parts need beside the database. */
export class GatewaySettings {
  constructor(
    /** The one that seals first, then those that only open. */
    readonly encryptionKeys: SealingKeys,
    /** Whom webhooks may call, as far as an address that is written out can tell. */
    readonly vet: VetAddress,
  ) {}
}
