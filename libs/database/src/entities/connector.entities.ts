import type { ProbeKind, ProbeResult, ProbeStatus } from '@idsync/contracts';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import { TenantOwned } from './tenant.entities.js';

/** The secrets of a connector, encrypted together. */
@Entity('connector_secrets')
export class ConnectorSecretsEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  connectorId!: string;

  @Column('bytea')
  ciphertext!: Buffer;

  /** Names of the secrets; the API never returns their values. */
  @Column('text', { array: true })
  names!: string[];
}

/** A probe of a connector and its result, retained for an hour. */
@Entity('connector_probes')
export class ConnectorProbeEntity extends TenantOwned {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  connectorId!: string;

  @Column('text')
  kind!: ProbeKind;

  @Column('text', { default: 'queued' })
  status!: ProbeStatus;

  @Column('jsonb', { nullable: true })
  result!: ProbeResult | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  endedAt!: Date | null;
}
