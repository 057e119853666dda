import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Admits operations that wait for a confirmation. */
export class HeldOperations1700000000197 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table operations
        drop constraint operations_status_check,
        add constraint operations_status_check check (status in ('queued', 'done', 'refused', 'held')) not valid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      update operations set status = 'refused' where status = 'held';
      alter table operations
        drop constraint operations_status_check,
        add constraint operations_status_check check (status in ('queued', 'done', 'refused'))`);
  }
}
