import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** What is secret of a connector, sealed as one. */
@Entity('connector_secrets')
export class ConnectorSecretsEntity {
  @PrimaryColumn({ type: 'uuid', name: 'connector_id', primaryKeyConstraintName: 'connector_secrets_pkey' })
  connectorId!: string;

  @Column({ type: 'uuid', name: 'tenant_id' })
  tenantId!: string;

  @Column({ type: 'bytea' })
  ciphertext!: Buffer;

  /** Which secrets these are; what they are, nobody is shown. */
  @Column({ type: 'text', array: true })
  names!: string[];
}

/** What an operator asked of a connector, and what came of it; kept for an hour. */
@Check('connector_probes_kind_check', "kind in ('test', 'discover')")
@Check('connector_probes_status_check', "status in ('queued', 'done', 'failed')")
@Entity('connector_probes')
export class ConnectorProbeEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'connector_probes_pkey' })
  id!: string;

  @Column({ type: 'uuid', name: 'tenant_id' })
  tenantId!: string;

  @Column({ type: 'uuid', name: 'connector_id' })
  connectorId!: string;

  @Column({ type: 'text' })
  kind!: string;

  @Column({ type: 'text', default: 'queued' })
  status!: string;

  @Column({ type: 'jsonb', nullable: true })
  result!: unknown;

  @Column({ type: 'timestamptz', name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'ended_at', nullable: true })
  endedAt!: Date | null;
}
