/** Condition that the tenant of a row is not suspended: one lookup by the primary key. */
export function ofActiveTenant(row: string): string {
  return `not exists (select from tenants t where t.id = ${row}.tenant_id and t.suspended_at is not null)`;
}
