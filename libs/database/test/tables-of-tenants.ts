import type { DirectoryFixture } from '@idsync/testing';

interface Column {
  name: string;
  /** An SQL expression for a valid value of the column. */
  value: string;
}

export interface Table {
  name: string;
  /** The column that contains the tenant. */
  tenant: string;
  /** Required columns, except the tenant. */
  columns: Column[];
}

/** Drops the constraints that would require other rows. */
export async function dropConstraints(admin: DirectoryFixture): Promise<void> {
  const statements = await admin.rows<{ sql: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as sql
       from pg_constraint where connamespace = 'public'::regnamespace and contype in ('c', 'f')`,
  );
  for (const { sql } of statements) await admin.rows(sql);
}

/** Returns every table of the catalog with a tenant column, even if it is not in the ownership table. */
export async function findTables(admin: DirectoryFixture): Promise<Table[]> {
  const rows = await admin.rows<{ name: string; tenant: string; columns: Column[] }>(
    `select relname as name, tenant, (
              select coalesce(json_agg(json_build_object('name', attname, 'value', case
                       when typcategory = 'A' then '''{}'''
                       when typname = 'uuid' then 'gen_random_uuid()'
                       when typname in ('text', 'varchar') then 'gen_random_uuid()::text'
                       when typname = 'jsonb' then '''{}'''
                       when typname = 'timestamptz' then 'now()'
                       when typname = 'bytea' then '''x'''
                       when typname = 'bool' then 'false'
                       else '1' end)), '[]')
                from pg_attribute a join pg_type t on t.oid = a.atttypid
               where attrelid = c.oid and attnum > 0 and attnotnull and not atthasdef and attidentity = '' and attname <> tenant) as columns
       from pg_class c, lateral (select case when relname = 'tenants' then 'id' else 'tenant_id' end) as of (tenant)
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
        and exists (select from pg_attribute where attrelid = c.oid and attname = tenant and not attisdropped)
      order by relname collate "C"`,
  );
  return rows;
}

/** Returns a statement that inserts a row of the tenant. */
export function insertion({ name, tenant, columns }: Table, of: string): string {
  const names = [tenant, ...columns.map((column) => column.name)];
  const values = [`'${of}'`, ...columns.map((column) => column.value)];
  return `insert into ${name} (${names.join(', ')}) values (${values.join(', ')})`;
}
