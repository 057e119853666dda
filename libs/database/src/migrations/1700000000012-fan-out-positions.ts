import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the position up to which a tenant's events are fanned out. */
export class FanOutPositions1700000000012 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

// Events whose message was not delivered to a consumer yet must still be fanned out. Row-level security is also forced
// on the table's owner, whose transaction has no tenant.
const up = `
create table fan_out_positions (
  tenant_id uuid constraint fan_out_positions_pkey primary key,
  sequence bigint not null
);

alter table event_sequences no force row level security;
alter table outbox no force row level security;
with announced as (
  select message from outbox where type = 'facts.recorded'
  union all select message from bus_messages where type = 'facts.recorded' and dead_at is null),
first as (
  select (message::jsonb ->> 'tenant_id')::uuid as tenant_id, min((message::jsonb #>> '{data,first_sequence}')::bigint) as sequence
    from announced group by 1)
insert into fan_out_positions (tenant_id, sequence)
select s.tenant_id, coalesce(first.sequence - 1, s.last) from event_sequences s left join first using (tenant_id);
alter table outbox force row level security;
alter table event_sequences force row level security;
`;

const down = 'drop table fan_out_positions';
