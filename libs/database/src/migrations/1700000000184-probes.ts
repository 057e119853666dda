import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the time at which an endpoint with an open circuit breaker was asked for a probe. */
export class Probes1700000000184 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table webhook_endpoints add column probe_asked_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table webhook_endpoints drop column probe_asked_at');
  }
}
