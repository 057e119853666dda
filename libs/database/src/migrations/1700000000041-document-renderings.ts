import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the version of each tenant's documents, and the progress of rendering them again. */
export class DocumentRenderings1700000000041 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table document_renderings');
  }
}

const up = `
create table document_renderings (
  tenant_id uuid not null constraint document_renderings_pkey primary key
    constraint document_renderings_tenant_id_fkey references tenants (id) on delete cascade,
  version integer not null,
  begin_at timestamptz not null,
  kind text not null default 'user',
  after_id uuid,
  completed_at timestamptz
);
`;
