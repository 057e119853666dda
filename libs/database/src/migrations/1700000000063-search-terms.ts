import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the terms by which records are found. */
export class SearchTerms1700000000063 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

// The "C" collation makes a prefix an index range.
const up = `
create table search_terms (
  tenant_id uuid not null,
  term text collate "C" not null,
  record_id uuid not null,
  constraint search_terms_pkey primary key (tenant_id, term, record_id)
);
alter table source_records add column search_terms text;
`;

const down = `
alter table source_records drop column search_terms;
drop table search_terms;
`;
