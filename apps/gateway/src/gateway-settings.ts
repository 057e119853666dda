/** What the gateway's parts need beside the database. */
export class GatewaySettings {
  constructor(readonly encryptionKey: Buffer) {}
}
