import { lifecyclePolicy, listsEmployments } from '@idsync/contracts';
import type { ConnectorInfo, StoredIdentity, StoredRecord } from '@idsync/database/directory';
import type { DirectoryFixture } from '@idsync/testing';
import { deriveIdentityStatus } from '../src/lifecycle/derive-status.js';
import { rankSources } from '../src/lifecycle/rank-sources.js';
import { mergeAttributes, winners } from '../src/render/merge-attributes.js';
import { displayNameOf, renderIdentity } from '../src/render/render-identity.js';
import { renderRecord } from '../src/render/render-record.js';

/** Returns the documents of a tenant that differ from the rendering of their rows, as text. */
export async function renderFaults(fixture: DirectoryFixture, tenant: string): Promise<string[]> {
  const records = await recordsOf(fixture, tenant);
  const connectors = await fixture.rows<Omit<ConnectorInfo, 'employments'> & { mapped: string[] }>(
    `select id, type, priority, records,
            array(select jsonb_object_keys(coalesce(config -> 'fields', '{}'))) as mapped
       from connectors where tenant_id = $1`,
    [tenant],
  );
  const [stored] = await fixture.rows<{ policy: object }>(
    'select policy from lifecycle_policies where tenant_id = $1',
    [tenant],
  );
  const policy = lifecyclePolicy.parse(stored?.policy ?? {});
  const facts = new Map(
    connectors.map((connector) => [connector.id, { ...connector, employments: listsEmployments(connector, policy) }]),
  );
  const priorities = await fixture.rows<{ field: string; connectorId: string; priority: number }>(
    'select field, connector_id as "connectorId", priority from attribute_priorities where tenant_id = $1',
    [tenant],
  );
  const identities = await fixture.rows<StoredIdentity>(
    `select id, display_name as "displayName", status, created_at as "createdAt", updated_at as "updatedAt", document from identities where tenant_id = $1`,
    [tenant],
  );
  const precedence = { connectors: facts, rankOf: rankSources(facts, priorities) };
  return [
    ...records.flatMap((record) => documentFault(`record ${record.externalId}`, record, renderRecord(record, tenant))),
    ...identities.flatMap((stored) => {
      const own = records.filter(({ identityId }) => identityId === stored.id);
      const attributes = mergeAttributes(stored.id, own, precedence);
      const displayName = displayNameOf(winners(attributes), own) ?? stored.displayName ?? undefined;
      const status = deriveIdentityStatus(own, precedence, stored);
      const faults = documentFault(
        stored.id,
        stored,
        renderIdentity({ ...stored, displayName, status }, attributes, own),
      );
      if ((stored.displayName ?? undefined) !== displayName)
        faults.push(`${stored.id} must have the display name ${displayName}`);
      if (stored.status !== status) faults.push(`${stored.id} is ${stored.status}, not ${status}`);
      return faults;
    }),
  ];
}

function documentFault(what: string, { document }: { document: string }, rendered: string): string[] {
  return document === rendered ? [] : [`${what} shows ${document}, not ${rendered}`];
}

async function recordsOf(fixture: DirectoryFixture, tenant: string): Promise<StoredRecord[]> {
  const rows = await fixture.rows<StoredRecord>(
    `select id, kind, connector_id as "connectorId", external_id as "externalId", identity_id as "identityId", status,
            fields, changed_at as "changedAt", created_at as "createdAt", updated_at as "updatedAt", document, machine, manager_id as "managerId", content_hash as "contentHash"
       from source_records where tenant_id = $1`,
    [tenant],
  );
  return rows.map((row) => ({
    ...row,
    identityId: row.identityId ?? undefined,
    machine: row.machine ?? undefined,
    managerId: row.managerId ?? undefined,
  }));
}
