// SQL by hand: roles, catalogues and DDL have no entities.
import type { QueryRunner } from 'typeorm';
import { serviceRoles } from '../roles.js';
import type { ReportProgress } from '../transaction-with-lock-retries.js';

interface Withheld {
  what: string;
  /** Statements that revoke it from PUBLIC; empty if PUBLIC does not have it. */
  statements: string[];
}

/**
 * Revokes default rights of PUBLIC that evade row-level security and the ownership table: to connect to this database,
 * and to create temporary tables and large objects. If the login may not revoke them, as on a managed PostgreSQL
 * without a superuser, it reports the statements for an administrator.
 */
export async function withholdPrivileges(runner: QueryRunner, report: ReportProgress): Promise<void> {
  const roles = Object.values(serviceRoles).join(', ');
  const [{ database } = { database: '' }]: { database: string }[] = await runner.query(
    'select quote_ident(current_database()) as database',
  );
  for (const { what, statements } of await findWithheld(runner)) {
    if (statements.length === 0) continue;
    // Services get their own right to connect before the right of PUBLIC is revoked.
    await runner.query(`grant connect on database ${database} to ${roles}`);
    for (const statement of statements) await runner.query(statement);
    const left = (await findWithheld(runner)).find((each) => each.what === what)?.statements ?? [];
    if (left.length > 0) report(`${what} are not revoked; an administrator must run: ${left.join('; ')}`);
  }
}

async function findWithheld(runner: QueryRunner): Promise<Withheld[]> {
  return runner.query(`
    select 'rights of every login on the database' as what, array(
        select format('revoke %s on database %I from public', lower(privilege_type), datname)
          from pg_database, aclexplode(coalesce(datacl, acldefault('d', datdba))) as acl
         where datname = current_database() and grantee = 0 order by privilege_type) as statements
    union all
    select 'rights of every login to large objects', array(
        select format('revoke execute on function pg_catalog.%I(%s) from public', proname, pg_get_function_identity_arguments(p.oid))
          from pg_proc p, aclexplode(coalesce(proacl, acldefault('f', proowner))) as acl
         where pronamespace = 'pg_catalog'::regnamespace and proname ~ '^(lo_.*|loread|lowrite)$' and grantee = 0
         order by proname, p.oid)`);
}

/** Role of an autoscaler. An administrator creates it if one is used; no service uses it. */
export const autoscalerRole = 'idsync_autoscaler';

/** Allows the autoscaler's role, if it exists, to connect and to read its views only. */
export async function grantAutoscaler(runner: QueryRunner): Promise<void> {
  await runner.query(`
    do $$ begin
      if exists (select from pg_roles where rolname = '${autoscalerRole}') then
        execute format('grant connect on database %I to ${autoscalerRole}', current_database());
        grant usage on schema public to ${autoscalerRole};
        grant select on autoscaling_sync_worker, autoscaling_directory, autoscaling_webhook_dispatcher to ${autoscalerRole};
        grant execute on function connectors_with_jobs, batches_unapplied, seconds_due to ${autoscalerRole};
      end if;
    end $$`);
}
