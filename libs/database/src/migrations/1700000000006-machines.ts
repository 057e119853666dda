import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds references of machine identities to people, and the owner and risk derived from them. */
export class Machines1700000000006 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

/**
 * Runs a statement only if the lifecycle migration was applied before this one, since only then machine identities may
 * exist.
 */
function wherePresent(statement: string): string {
  return `do $$ begin
    if exists (select from information_schema.columns where table_name = 'source_records' and column_name = 'due_at')
    then ${statement}; end if;
  end $$;`;
}

// Existing machine identities become due, so that they are processed.
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
