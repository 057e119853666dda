import { describe, expect, it } from '@jest/globals';
import { unboundTables } from './setup/check-statements.mjs';

const tables = new Set(['people', 'groups']);

describe('a statement of a tenant', () => {
  it.each([
    'select from people where tenant_id = $1 and id = $2',
    'select from people p join groups g on g.tenant_id = p.tenant_id and g.id = p.group_id where p.tenant_id = $1',
    'select from people join groups using (tenant_id, id) where tenant_id = $1',
    'select from people where (tenant_id, id) in (select $1::uuid, unnest($2::uuid[]))',
    'select from people p where p.tenant_id = $1 and exists (select from groups where tenant_id = $1 and id = p.id)',
    'with people as (select 1 as id) select from people',
    'insert into people (tenant_id, id) select tenant_id, id from groups where tenant_id = $1',
    'update people p set name = n.name from unnest($2::uuid[]) n (id) where p.tenant_id = $1 and p.id = n.id',
    'select from people where (tenant_id = $1 and id = $2) or (tenant_id = $3 and id = $4)',
    'select from people where tenant_id = $1 union all select from groups where tenant_id = $1',
  ])('names the tenant of each table: %s', async (text) => {
    expect(await unboundTables(text, tables)).toEqual([]);
  });

  it.each([
    ['select from people where id = $1', ['people']],
    ['select from people where tenant_id = $1 or id = $2', ['people']],
    ['select from people p join groups g on g.id = p.group_id where p.tenant_id = $1', ['g']],
    ['select from people p where p.tenant_id = $1 and exists (select from groups where id = p.id)', ['groups']],
    ['insert into people (tenant_id, id) select $1, id from groups', ['groups']],
    ['delete from people using groups g where people.tenant_id = $1', ['g']],
    ['with found as (select id from people) update groups set name = $2 where tenant_id = $1', ['people']],
    ['select from groups where tenant_id = $1 union all select from people', ['people']],
  ])('is refused if it does not: %s', async (text, unbound) => {
    expect(await unboundTables(text, tables)).toEqual(unbound);
  });
});

describe('a statement across tenants', () => {
  it.each([
    ['select from people where expires_at < now()', []],
    ['select from people p left join groups g on g.tenant_id = p.tenant_id and g.id = p.group_id', []],
    ['select from people p left join groups g on g.id = p.group_id', ['p', 'g']],
    ['select from people p where exists (select from groups where id = p.group_id)', ['groups']],
  ])('joins tables by the tenant: %s', async (text, unbound) => {
    expect(await unboundTables(text, tables, 'all')).toEqual(unbound);
  });
});
