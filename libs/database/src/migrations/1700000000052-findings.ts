import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds findings, the state of their evaluation and its policy, and the identity of a user's manager. */
export class Findings1700000000052 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
create table findings (
  id uuid not null constraint findings_pkey primary key,
  tenant_id uuid not null constraint findings_tenant_id_fkey references tenants (id) on delete cascade,
  kind text not null,
  subject_id uuid not null,
  identity_id uuid,
  evidence jsonb not null,
  state text not null default 'open'
    constraint findings_state_check check (state in ('open', 'accepted', 'resolved')),
  opened_at timestamptz not null,
  resolved_at timestamptz,
  accepted_by text,
  accepted_reason text,
  accepted_at timestamptz,
  accepted_until timestamptz
);
create unique index findings_unresolved on findings (tenant_id, kind, subject_id) where state <> 'resolved';
create index findings_listed on findings (tenant_id, state, kind, id);
create index findings_subject on findings (tenant_id, subject_id, id);
create index findings_identity on findings (tenant_id, identity_id, id) where identity_id is not null;
create index findings_checked on findings (tenant_id, id) where state <> 'resolved';
create index findings_expiring on findings (tenant_id, accepted_until) where state = 'accepted';
create index findings_resolved on findings (tenant_id, resolved_at) where state = 'resolved';
create index findings_open on findings (kind) where state = 'open';

create table finding_passes (
  tenant_id uuid not null constraint finding_passes_pkey primary key
    constraint finding_passes_tenant_id_fkey references tenants (id) on delete cascade,
  phase text not null default 'users'
    constraint finding_passes_phase_check check (phase in ('users', 'others', 'findings')),
  after_at timestamptz,
  after_id uuid,
  began_at timestamptz not null,
  began_sequence bigint not null,
  spent_ms integer not null default 0,
  ended_at timestamptz,
  silent boolean not null default false
);

create table finding_policies (
  tenant_id uuid constraint finding_policies_pkey primary key,
  policy jsonb not null,
  updated_at timestamptz not null
);

alter table source_records add column manager_id uuid;
`;

const down = `
alter table source_records drop column manager_id;
drop table finding_policies;
drop table finding_passes;
drop table findings;
`;
