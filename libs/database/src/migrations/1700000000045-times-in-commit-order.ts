import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the last time of each tenant, so that times follow the order of commits, and earlier redirects of identities. */
export class TimesInCommitOrder1700000000045 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
alter table event_sequences add column last_at timestamptz;
alter table identity_versions add column into_id uuid;
`;

const down = `
delete from identity_versions where into_id is not null;
alter table identity_versions drop column into_id;
alter table event_sequences drop column last_at;
`;
