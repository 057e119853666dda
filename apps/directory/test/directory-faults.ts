import { defaultMatchingRules, encodeId, type KeyKind, type MatchingRules } from '@idsync/contracts';
import type { DirectoryFixture } from '@idsync/testing';
import { keyValue } from '../src/matching/record-keys.js';
import { renderFaults } from './render-faults.js';

interface Row {
  id: string;
  document: string;
  status: string;
  created_at: Date;
  updated_at: Date;
  /** Set on the tombstone of an erased identity. */
  purge_at: Date | null;
}

interface RecordRow {
  identity_id: string | null;
  kind: string;
  document: string;
  created_at: Date;
  id: string;
}

/**
 * Returns the inconsistencies of a tenant's directory as text: documents that differ from their rows, totals that
 * differ from counts, match keys that differ from their holders.
 */
export async function directoryFaults(fixture: DirectoryFixture, tenant: string): Promise<string[]> {
  const identities = await fixture.rows<Row>('select * from identities where tenant_id = $1', [tenant]);
  const records = await fixture.rows<RecordRow>(
    'select * from source_records where tenant_id = $1 order by created_at, id',
    [tenant],
  );
  const faults = identities.flatMap((identity) => documentFaults(identity, records));
  for (const { identity_id } of records) {
    if (identity_id && !identities.some(({ id }) => id === identity_id))
      faults.push(`identity ${identity_id} does not exist`);
  }
  return [
    ...faults,
    ...(await renderFaults(fixture, tenant)),
    ...(await counterFaults(fixture, tenant)),
    ...(await keyFaults(fixture, tenant)),
  ];
}

function documentFaults(identity: Row, records: readonly RecordRow[]): string[] {
  const shown = JSON.parse(identity.document) as Record<string, unknown> & { attributes: { identity_id: string }[] };
  const of = (kind: string) =>
    records
      .filter((each) => each.identity_id === identity.id && each.kind === kind)
      .map((each) => JSON.parse(each.document));
  const expected = {
    id: encodeId('identity', identity.id),
    status: identity.status,
    created_at: identity.created_at.toISOString(),
    updated_at: identity.updated_at.toISOString(),
    users: of('user'),
    accounts: of('account'),
    machine_identities: of('machine_identity'),
  };
  const faults = Object.entries(expected)
    .filter(([field, value]) => JSON.stringify(shown[field]) !== JSON.stringify(value))
    .map(
      ([field, value]) => `${identity.id} shows ${field} ${JSON.stringify(shown[field])}, not ${JSON.stringify(value)}`,
    );
  const isEmpty = expected.users.length + expected.accounts.length + expected.machine_identities.length === 0;
  if (isEmpty !== (identity.purge_at !== null)) {
    faults.push(`${identity.id} is ${isEmpty ? 'without' : 'a tombstone with'} records`);
  }
  if (shown.attributes.some(({ identity_id }) => identity_id !== expected.id))
    faults.push(`${identity.id} shows others' attributes`);
  return faults;
}

async function counterFaults(fixture: DirectoryFixture, tenant: string): Promise<string[]> {
  const wrong = await fixture.rows<{ text: string }>(
    `select format('%s %s: %s counted, %s found', resource, status, counted, found) as text from (
       select resource, status, coalesce(c.count, 0) as counted, coalesce(t.count, 0) as found
         from (select resource, status, count from directory_counters where tenant_id = $1) c
         full join (select 'identity' as resource, status, count(*) from identities where tenant_id = $1 group by 2
                    union all
                    select 'user', status, count(*) from source_records where tenant_id = $1 and kind = 'user' group by 2) t
        using (resource, status)) as both_sides
      where counted <> found
     union all
     select format('%s %s at level %s, bucket %s: %s counted, %s found', resource, status, level, bucket, p.count, t.count)
       from (select * from list_positions where tenant_id = $1 and count <> 0) p
       full join (select resource, level, floor(extract(epoch from created_at) * 1000)::bigint >> (6 + 6 * level) as bucket, status, count(*)
                    from (select 'identity' as resource, created_at, status from identities where tenant_id = $1
                          union all
                          select 'user', created_at, status from source_records where tenant_id = $1 and kind = 'user') listed
                   cross join generate_series(0, 5) as level group by 1, 2, 3, 4) t
      using (resource, level, bucket, status)
      where p.count is distinct from t.count`,
    [tenant],
  );
  return wrong.map(({ text }) => text);
}

async function keyFaults(fixture: DirectoryFixture, tenant: string): Promise<string[]> {
  const [saved] = await fixture.rows<{ rules: Partial<MatchingRules> }>(
    'select rules from matching_rules where tenant_id = $1',
    [tenant],
  );
  const rules = { ...defaultMatchingRules, ...saved?.rules };
  // The others are compared in another form than SQL has.
  const kinds = rules.certain.filter(
    (kind) => !rules.keys.some((key) => key.field === kind && key.normaliser !== 'case'),
  );
  const wrong = await fixture.rows<{ text: string; kind?: KeyKind; value?: string }>(
    `with key_values as (
       select r.id, r.external_id, r.identity_id, r.status, names.kind,
              lower(trim(normalize(regexp_replace(v.value, '[\\u00AD\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u206F\\uFEFF]', '', 'g'), NFKC))) as value
         from source_records r
        cross join unnest($2::text[]) as names (kind)
        cross join lateral (
          select jsonb_array_elements_text(r.fields -> names.kind)
          union all select jsonb_array_elements_text(r.fields -> 'other_emails') where names.kind = 'email') as v (value)
        where r.tenant_id = $1 and r.kind = 'user')
     select 'key ' || k.kind || ' ' || k.value || ' has no identity' as text, null as kind, null as value
       from correlation_keys k
      where k.tenant_id = $1 and k.identity_id is null and k.shared is null
     union all
     select 'key ' || k.kind || ' ' || k.value || ' belongs to an identity that does not exist', null, null
       from correlation_keys k where k.tenant_id = $1 and k.identity_id is not null
        and not exists (select from identities i where i.tenant_id = $1 and i.id = k.identity_id)
     union all
     select 'key ' || k.kind || ' ' || k.value || ' of ' || k.identity_id || ' is on none of its users', null, null
       from correlation_keys k where k.tenant_id = $1 and k.identity_id is not null and k.kind = any($2)
        and not exists (select from key_values v where v.identity_id = k.identity_id and v.kind = k.kind and v.value = k.value)
     union all
     select 'user ' || v.external_id || ' has a key that is not linked to it: ' || v.kind || ' ' || value, v.kind, value
       from key_values v
      where v.status <> 'deleted'
        and not exists (select from correlation_keys k where k.tenant_id = $1 and k.kind = v.kind and k.value = v.value
                           and (k.identity_id = v.identity_id or k.shared = 'common'
                                or exists (select from contested_keys c where c.tenant_id = $1 and c.kind = k.kind
                                              and c.value = k.value and c.record_id = v.id)))`,
    [tenant, kinds],
  );
  const isKey = ({ kind, value }: (typeof wrong)[number]) =>
    !kind || value === undefined || keyValue(kind, value, rules) !== undefined;
  return wrong.filter(isKey).map(({ text }) => text);
}
