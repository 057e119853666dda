import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds counts by creation time, so that deep pages are found without an index scan. */
export class ListPositions1700000000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

const up = `
create table list_positions (
  tenant_id uuid not null,
  resource text not null,
  level smallint not null,
  bucket bigint not null,
  status text not null,
  count bigint not null,
  constraint list_positions_pkey primary key (tenant_id, resource, level, bucket, status)
) with (fillfactor = 70);

insert into list_positions (tenant_id, resource, level, bucket, status, count)
select tenant_id, resource, level, floor(extract(epoch from created_at) * 1000)::bigint >> (6 + 6 * level), status, count(*)
  from (select tenant_id, 'identity' as resource, created_at, status from identities
        union all
        select tenant_id, 'user', created_at, status from source_records where kind = 'user') as listed
 cross join generate_series(0, 5) as level
 group by 1, 2, 3, 4, 5;
`;

const down = `
drop table list_positions;
`;
