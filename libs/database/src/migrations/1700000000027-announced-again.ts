import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the time of the last message for an operation or a part of a replay, because the broker may lose messages. */
export class AnnouncedAgain1700000000027 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
alter table operations add column announced_at timestamptz not null default now();
alter table webhook_replays add column announced_at timestamptz not null default now();
`;

const down = `
alter table webhook_replays drop column announced_at;
alter table operations drop column announced_at;
`;
