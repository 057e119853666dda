import { type ServiceName, services } from '@idsync/contracts';
import type { QueryRunner } from 'typeorm';
import { ownership, type TableOwnership } from './ownership.js';
import { patientTransaction, type Say } from './patient-transaction.js';
import { serviceRoles } from './roles.js';

/**
 * Makes the database agree with the ownership table, each table by itself: one that agrees is not locked, and one that is in use is
 * asked again. Killed in between, the next run does the rest.
 *
 * Grants are given and never taken: the code of before is in service beside ours. To take one away is a migration's `revoke`.
 */
export async function applyOwnership(runner: QueryRunner, say: Say): Promise<void> {
  for (const table of Object.keys(ownership)) {
    await patientTransaction(runner, table, say, () => secureTables(runner, [table]));
  }
}

/** The same in the transaction that is open; all tables if none is named. */
export async function secureTables(runner: QueryRunner, tables = Object.keys(ownership)): Promise<void> {
  for (const role of Object.values(serviceRoles)) await runner.query(`grant usage on schema public to ${role}`);
  for (const table of tables) {
    const owned = ownership[table] as TableOwnership;
    await runner.query(grants(table, owned));
    const wanted = rowSecurity(owned);
    if (JSON.stringify(await rowSecurityOf(runner, table)) !== JSON.stringify(wanted)) {
      await runner.query(secure(table, wanted));
    }
  }
}

function grants(table: string, { grants }: TableOwnership): string {
  const statements = Object.entries(grants).map(
    ([service, privileges]) => `grant ${privileges.join(', ')} on ${table} to ${serviceRoles[service as ServiceName]}`,
  );
  return [`revoke all on ${table} from public`, ...statements].join('; ');
}

interface RowSecurity {
  forced: boolean;
  /** In the order of their names. */
  policies: { name: string; role: string; rows: string }[];
}

/**
 * As PostgreSQL writes it, so that what is there can be compared. `(select …)` makes the setting a constant of the statement, so
 * that indexes that start with the tenant serve it.
 */
const currentTenant = `( SELECT (NULLIF(current_setting('idsync.tenant_id'::text, true), ''::text))::uuid AS "nullif")`;

function rowSecurity({ rows, acrossTenants = [] }: TableOwnership): RowSecurity {
  if (rows === 'all') return { forced: false, policies: [] };
  const mine =
    'tenantColumn' in rows ? `(${rows.tenantColumn} = ${currentTenant})` : `(${rows.roleColumn} = CURRENT_USER)`;
  const across = services
    .filter((service) => acrossTenants.includes(service))
    .map((service) => ({ name: `all_rows_${serviceRoles[service]}`, role: serviceRoles[service], rows: 'true' }));
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

/** All at once: there is no moment in which somebody sees too much. */
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
