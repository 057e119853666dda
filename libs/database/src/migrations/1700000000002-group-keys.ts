import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Groups of 0.1.0 have no key. The directory gives a group its key when a run first reads a member of it with the key and
 * the name of the group, so that its id stays.
 */
export class GroupKeys1700000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table groups
      -- The key of the group in its source; null if the source has none, and the name is the key.
      add column external_id text,
      -- When it got its name; null if that is the name that it was created with.
      add column updated_at timestamptz,
      -- The id that the name alone would give; null if that is the id of the group.
      add column name_id uuid,
      -- The job that gave it its name: a run that reads the old name later does not rename it again.
      add column renamed_by uuid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table groups
      drop column external_id, drop column updated_at, drop column name_id, drop column renamed_by`);
  }
}
