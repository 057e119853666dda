import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets plans set aside new people and changes of many people, and give new external ids to stored records. */
export class SetAsideAdditions1700000000050 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
alter table sync_plans add column reasons jsonb not null default '[]';
alter table sync_plan_entries
  add column moved_from text,
  add column resembles_id uuid,
  add column resembles_by text,
  add column changed_fields text[] not null default '{}';
`;

const down = `
alter table sync_plan_entries
  drop column changed_fields, drop column resembles_by, drop column resembles_id, drop column moved_from;
alter table sync_plans drop column reasons;
`;
