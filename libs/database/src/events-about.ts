/**
 * Selects the events about records or identities by one index lookup for each; `ids` is an array. The condition is
 * repeated and kept apart from the tenant, so that PostgreSQL chooses this index on tables without statistics, and not
 * that of the tenant.
 */
export function eventsAbout(column: 'subject_id' | 'identity_id', ids: string): string {
  return `(select found.* from unnest(${ids}) as about (id)
    cross join lateral (select * from events where ${column} = about.id and ${column} between about.id and about.id offset 0) as found)`;
}
