import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds how far a tenant's documents are rendered again, and from which version. */
export class RenderingProgress1700000000140 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
alter table document_renderings
  add column from_version integer,
  add column total bigint,
  add column done bigint not null default 0;
`;

const down = `
alter table document_renderings drop column from_version, drop column total, drop column done;
`;
