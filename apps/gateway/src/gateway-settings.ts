import type { VetAddress } from '@idsync/runtime';

/** What the gateway's parts need beside the database. */
export class GatewaySettings {
  constructor(
    readonly encryptionKey: Buffer,
    /** Whom webhooks may call, as far as an address that is written out can tell. */
    readonly vet: VetAddress,
  ) {}
}
