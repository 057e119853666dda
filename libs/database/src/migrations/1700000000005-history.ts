import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds earlier versions of identities, and source precedence by field. */
export class History1700000000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
create table identity_versions (
  id bigint generated always as identity constraint identity_versions_pkey primary key,
  tenant_id uuid not null,
  identity_id uuid not null,
  valid_until timestamptz not null,
  document text not null
);
create index identity_versions_found on identity_versions (identity_id, valid_until, id);

create index events_subject on events (subject_id) where subject_id is not null;

create table attribute_priorities (
  tenant_id uuid not null,
  field text not null,
  connector_id uuid not null,
  priority integer not null,
  constraint attribute_priorities_pkey primary key (tenant_id, field, connector_id)
);
`;

const down = `
drop index events_subject;
drop table attribute_priorities, identity_versions;
`;
