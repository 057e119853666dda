import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the reports of running processes. */
export class ServiceProcesses1700000000170 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
create table service_processes (
  id uuid constraint service_processes_pkey primary key,
  service text not null,
  version text not null,
  host text not null,
  started_at timestamptz not null,
  seen_at timestamptz not null default now(),
  broker_connected boolean not null,
  outbox_messages integer not null,
  outbox_lag_seconds double precision not null
);
`;

const down = `
drop table service_processes;
`;
