type Run = (text: string, values?: readonly string[]) => Promise<{ rows: unknown }>;

/** Maximum number of findings in one message. */
const mostNamed = 5;

/** Selects what the login may do other than reading, directly or by a role that it may assume. */
const writes = `
  with roles as (
    select oid, rolname from pg_catalog.pg_roles where pg_catalog.pg_has_role(session_user, oid, 'MEMBER')
  ), grantees as (select oid from roles union all select 0)
  select what from (
    select 1 as rank, 'is a superuser' as what from pg_catalog.pg_roles where rolname = session_user and rolsuper
    union all
    select 2, pg_catalog.format('may become %I, which may change roles, databases or replication', rolname)
      from pg_catalog.pg_roles join roles using (oid, rolname) where rolsuper or rolcreaterole or rolcreatedb or rolreplication
    union all
    select 3, pg_catalog.format('may become %I', rolname) from roles
      where rolname ~ '^pg_' and rolname not in ('pg_read_all_data', 'pg_read_all_settings', 'pg_read_all_stats',
        'pg_stat_scan_tables', 'pg_monitor', 'pg_use_reserved_connections')
    union all
    select 4, 'may create schemas in this database' from roles
      where pg_catalog.has_database_privilege(oid, pg_catalog.current_database(), 'CREATE')
    union all
    select 5, pg_catalog.format('may create objects in the schema %I', nspname) from pg_catalog.pg_namespace
      where nspname !~ '^pg_(toast|temp)' and (nspowner in (select oid from roles) or exists (
        select 1 from pg_catalog.aclexplode(nspacl) where privilege_type = 'CREATE' and grantee in (select oid from grantees)))
    union all
    select 6, pg_catalog.format('may change %s', class.oid::pg_catalog.regclass) from pg_catalog.pg_class class
      where relkind in ('r', 'v', 'm', 'S', 'f', 'p')
        and relnamespace not in ('pg_catalog'::pg_catalog.regnamespace, 'information_schema'::pg_catalog.regnamespace)
        and (relowner in (select oid from roles) or exists (
          select 1 from pg_catalog.aclexplode(relacl)
            where privilege_type <> 'SELECT' and grantee in (select oid from grantees)
              and not (relkind = 'S' and privilege_type = 'USAGE')))
    union all
    select 7, pg_catalog.format('may change %s', attrelid::pg_catalog.regclass) from pg_catalog.pg_attribute
      where attacl is not null and exists (
        select 1 from pg_catalog.aclexplode(attacl) where privilege_type <> 'SELECT' and grantee in (select oid from grantees))
  ) as found group by rank, what order by rank, what limit ${mostNamed}`;

/** Selects the volatile functions that the login may call and whose names occur in a text, except type handlers. */
const volatileNames = `
  select distinct proname::text from pg_catalog.pg_proc join pg_catalog.pg_type on pg_type.oid = prorettype
  where provolatile = 'v' and typname !~ '_handler$|^(event_)?trigger$|^internal$'
    and pg_catalog.strpos(pg_catalog.lower($1), pg_catalog.lower(proname::text)) > 0
    and pg_catalog.has_function_privilege(session_user, pg_proc.oid, 'EXECUTE')`;

/**
 * Returns what the login may do other than reading. A read-only transaction does not stop a privileged function, and
 * `set_config` can assume any role of the login.
 */
export async function postgresWrites(run: Run): Promise<string[]> {
  return firstColumn(await run(writes));
}

/**
 * Returns the functions with side effects in a query: `lo_from_bytea`, `pg_advisory_lock`, `set_config`, `dblink` and
 * the like.
 */
export async function postgresSideEffects(run: Run, query: string): Promise<string[]> {
  // Unicode escapes could spell any name.
  if (/u&"/i.test(query)) return ['U&"…"'];
  const names = firstColumn(await run(volatileNames, [query]));
  return names.filter((name) => isCalled(name, query));
}

const partOfName = /[\w$\u0080-\uffff]/;

/**
 * Returns whether a name is called: before a parenthesis or after a dot, or anywhere if the query contains comments.
 */
function isCalled(name: string, query: string): boolean {
  const text = query.toLowerCase();
  const word = name.replaceAll('"', '""').toLowerCase();
  const hasComments = text.includes('--') || text.includes('/*');
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const end = at + word.length;
    if (partOfName.test(text.charAt(at - 1)) || partOfName.test(text.charAt(end))) continue;
    const begin = text.charAt(at - 1) === '"' ? at - 1 : at;
    const following = text.slice(text.charAt(end) === '"' ? end + 1 : end).trimStart();
    if (hasComments || following.startsWith('(') || text.slice(0, begin).trimEnd().endsWith('.')) return true;
  }
  return false;
}

function firstColumn({ rows }: { rows: unknown }): string[] {
  return (rows as string[][]).map(([first = '']) => first);
}
