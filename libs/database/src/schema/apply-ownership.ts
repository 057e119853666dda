// SQL by hand: roles, catalogues and DDL have no entities.
import { type ServiceName, services } from '@idsync/contracts';
import type { QueryRunner } from 'typeorm';
import { serviceRoles } from '../roles.js';
import { type ReportProgress, transactionWithLockRetries } from '../transaction-with-lock-retries.js';
import { ownership, type TableOwnership } from './ownership.js';

/**
 * Applies the grants and policies of the ownership table, each table in its own transaction. A table that is up to date
 * is not locked, and a locked one is retried; an interrupted run is completed by the next.
 *
 * Grants are never revoked here, because the previous version may still be running. A migration revokes them.
 */
export async function applyOwnership(runner: QueryRunner, report: ReportProgress): Promise<void> {
  for (const table of Object.keys(ownership)) {
    await transactionWithLockRetries(runner, table, report, () => secureTables(runner, [table]));
  }
}

/**
 * Applies only the policies, each table in its own transaction. In a migration's transaction they would lock all tables
 * at once.
 */
export async function applyPolicies(runner: QueryRunner, report: ReportProgress): Promise<void> {
  for (const table of Object.keys(ownership)) {
    await transactionWithLockRetries(runner, table, report, () => secureRows(runner, table));
  }
}

/** Applies grants and policies in the current transaction, to all tables by default. */
export async function secureTables(runner: QueryRunner, tables = Object.keys(ownership)): Promise<void> {
  for (const role of Object.values(serviceRoles)) await runner.query(`grant usage on schema public to ${role}`);
  for (const table of tables) {
    await runner.query(grants(table, ownership[table] as TableOwnership));
    await secureRows(runner, table);
  }
}

async function secureRows(runner: QueryRunner, table: string): Promise<void> {
  const found = await rowSecurityOf(runner, table);
  const wanted = rowSecurity(ownership[table] as TableOwnership);
  if (found && JSON.stringify(found) !== JSON.stringify(wanted)) await runner.query(secure(table, wanted));
}

function grants(table: string, { grants }: TableOwnership): string {
  const statements = Object.entries(grants).map(
    ([service, privileges]) => `grant ${privileges.join(', ')} on ${table} to ${serviceRoles[service as ServiceName]}`,
  );
  return [`revoke all on ${table} from public`, ...statements].join('; ');
}

interface RowSecurity {
  forced: boolean;
  /** Sorted by name. */
  policies: { name: string; role: string; rows: string }[];
}

/**
 * Written as PostgreSQL prints it, so that it can be compared. Statements name the tenant as well, so the setting is
 * compared with that once for each statement. No subquery, which distributed tables of Citus refuse.
 */
const currentTenant = `(NULLIF(current_setting('idsync.tenant_id'::text, true), ''::text))::uuid`;

/** True in a search across tenants. A transaction whose settings are lost sees no rows. */
const acrossAll = `(current_setting('idsync.across_tenants'::text, true) = 'on'::text)`;

function rowSecurity({ rows, acrossTenants = [] }: TableOwnership): RowSecurity {
  if (rows === 'all') return { forced: false, policies: [] };
  const mine =
    'tenantColumn' in rows ? `(${rows.tenantColumn} = ${currentTenant})` : `(${rows.roleColumn} = CURRENT_USER)`;
  const across = services
    .filter((service) => acrossTenants.includes(service))
    .map((service) => ({ name: `all_rows_${serviceRoles[service]}`, role: serviceRoles[service], rows: acrossAll }));
  const policies = [...across, { name: 'own_rows', role: 'public', rows: mine }];
  return { forced: true, policies: policies.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

async function rowSecurityOf(runner: QueryRunner, table: string): Promise<RowSecurity | undefined> {
  const [found]: RowSecurity[] = await runner.query(
    `select relrowsecurity and relforcerowsecurity as forced, coalesce((
       select json_agg(json_build_object('name', policyname, 'role', array_to_string(roles, ','), 'rows',
                         case when qual = with_check then qual else '' end) order by policyname collate "C")
         from pg_policies where schemaname = current_schema and tablename = $1), '[]') as policies
       from pg_class where oid = to_regclass($1)`,
    [table],
  );
  return found;
}

/** Runs as one statement, so that there is no moment with too much access. */
function secure(table: string, { forced, policies }: RowSecurity): string {
  const roles = services.map((service) => serviceRoles[service]);
  return [
    `alter table ${table} ${forced ? '' : 'no '}force row level security, ${forced ? 'enable' : 'disable'} row level security`,
    ...['own_rows', ...roles.map((role) => `all_rows_${role}`)].map(
      (name) => `drop policy if exists ${name} on ${table}`,
    ),
    ...policies.map(
      ({ name, role, rows }) => `create policy ${name} on ${table} to ${role} using (${rows}) with check (${rows})`,
    ),
  ].join('; ');
}
