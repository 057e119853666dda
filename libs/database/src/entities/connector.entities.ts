import type { ProbeKind, ProbeResult, ProbeStatus } from '@idsync/contracts';
import { bytea, entity, jsonb, ofTenant, type RowOf, text, timestamptz, uuid } from './entity.js';

/** The secrets of a connector, encrypted together. */
export const ConnectorSecretsEntity = entity('connector_secrets', {
  ...ofTenant,
  connectorId: uuid({ primary: true }),
  ciphertext: bytea(),
  /** Names of the secrets; the API never returns their values. */
  names: text<string[]>({ array: true }),
});
export type ConnectorSecretsEntity = RowOf<typeof ConnectorSecretsEntity>;

/** A probe of a connector and its result, retained for an hour. */
export const ConnectorProbeEntity = entity('connector_probes', {
  ...ofTenant,
  id: uuid({ primary: true }),
  connectorId: uuid(),
  kind: text<ProbeKind>(),
  status: text<ProbeStatus>({ default: 'queued' }),
  result: jsonb<ProbeResult>({ nullable: true }),
  createdAt: timestamptz({ createDate: true }),
  endedAt: timestamptz({ nullable: true }),
});
export type ConnectorProbeEntity = RowOf<typeof ConnectorProbeEntity>;
