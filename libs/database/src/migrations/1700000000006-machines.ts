import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whom machine identities name, and what follows from that: who they belong to and the risk they are. */
export class Machines1700000000006 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

/** A database that had the lifecycle before this one may have machines; a new one has neither. */
function wherePresent(statement: string): string {
  return `do $$ begin
    if exists (select from information_schema.columns where table_name = 'source_records' and column_name = 'due_at')
    then ${statement}; end if;
  end $$;`;
}

// Machines that are there already are looked at by the clock as if their time had come.
const up = `
create table machine_references (
  tenant_id uuid not null,
  record_id uuid not null,
  role text not null,
  value text,
  identity_id uuid,
  constraint machine_references_pkey primary key (record_id, role),
  constraint machine_references_role_check check (role in ('owned_by', 'manager_id', 'technical_inheritor'))
);
create index machine_references_value on machine_references (tenant_id, value) where value is not null;
create index machine_references_identity on machine_references (identity_id) where identity_id is not null;

alter table source_records add column machine jsonb;
${wherePresent(`update source_records set due_at = now() where kind = 'machine_identity' and due_at is null`)}
`;

const down = `
${wherePresent(`update source_records set due_at = null where kind = 'machine_identity' and status <> 'decommissioned'`)}
alter table source_records drop column machine;
drop table machine_references;
`;
