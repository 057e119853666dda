import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the terms by which lists are filtered. */
export class ListTerms1700000000070 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

// The creation time is part of the key, so that a page of one term is a range of it.
const up = `
create table list_terms (
  tenant_id uuid not null,
  term text collate "C" not null,
  created_at timestamptz not null,
  record_id uuid not null,
  constraint list_terms_pkey primary key (tenant_id, term, created_at, record_id)
);
alter table source_records add column list_terms text;
`;

const down = `
alter table source_records drop column list_terms;
drop table list_terms;
`;
