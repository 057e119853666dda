/**
 * Selects the events of the tenant `$1` about records or identities by one index lookup for each; `ids` is an array. The
 * condition is repeated, so that PostgreSQL chooses this index on tables without statistics, and not the primary key.
 */
export function eventsAbout(column: 'subject_id' | 'identity_id', ids: string): string {
  return `(select found.* from unnest(${ids}) as about (id)
    cross join lateral (
      select * from events where tenant_id = $1 and ${column} = about.id and ${column} between about.id and about.id offset 0) as found)`;
}
