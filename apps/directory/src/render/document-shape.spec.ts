import { newUuid, type RecordKind, recordFields, recordKinds } from '@idsync/contracts';
import type { StoredRecord } from '@idsync/database/directory';
import { describe, expect, it } from '@jest/globals';
import { mergeAttributes } from './merge-attributes.js';
import { renderIdentity } from './render-identity.js';
import { renderRecord } from './render-record.js';

/** Fields of a complete document. With a change, increase the version of `content-hash.ts`, so that stored ones follow. */
const shape = [
  'accounts attributes created_at display_name id machine_identities status updated_at users',
  'accounts: created_at display_name external_id first_name id identifier job_title last_name last_synced_at person_id source_system_id status updated_at',
  'attributes: field_name field_value identity_id priority source_id source_type updated_at',
  'machine_identities: account_id classification created_at display_name id manager_id owned_by risk_factors risk_score status technical_inheritor updated_at',
  'users: created_at departments display_name email external_id first_name groups hire_date id job_title last_name manager_id roles status tenant_id termination_date updated_at user_principal_name',
];

const at = new Date('2026-01-01T00:00:00Z');
const tenantId = newUuid();
const identityId = newUuid();
const connectorId = newUuid();

/** A record with a value in each field of its kind. */
function fullRecord(kind: RecordKind): StoredRecord {
  const { text, list, date, integer } = recordFields[kind];
  const fields = Object.fromEntries([...text, ...list, ...date, ...integer].map((field) => [field, ['1']]));
  const person = newUuid();
  const record = {
    id: newUuid(),
    kind,
    connectorId,
    externalId: 'r1',
    identityId,
    status: 'active',
    contentHash: Buffer.alloc(16),
    fields,
    changedAt: {},
    createdAt: at,
    updatedAt: at,
    document: '',
    lastJobId: newUuid(),
    lastSeq: 0,
    decided: false,
    statusSince: at,
    machine: {
      people: { owned_by: person, manager_id: person, technical_inheritor: person },
      handedOver: false,
      risk: { score: 1, factors: [] },
    },
  };
  return { ...record, document: renderRecord(record, tenantId) };
}

function shapeOf(document: Record<string, unknown>): string[] {
  const top = Object.keys(document).sort().join(' ');
  const lists = Object.entries(document).filter((entry): entry is [string, object[]] => Array.isArray(entry[1]));
  const items = lists.map(([name, [first = {}]]) => `${name}: ${Object.keys(first).sort().join(' ')}`);
  return [top, ...items.sort()];
}

describe('the fields of a document', () => {
  it('are those that readers know', () => {
    const records = recordKinds.map(fullRecord);
    const connector = { id: connectorId, type: 'csv', priority: 1 };
    const connectors = new Map([[connectorId, connector as never]]);
    const attributes = mergeAttributes(identityId, records, { connectors, rankOf: () => 1 });
    const identity = { id: identityId, displayName: 'Ann', status: 'active', createdAt: at, updatedAt: at } as const;
    const document = JSON.parse(renderIdentity(identity, attributes, records));
    expect(shapeOf(document)).toEqual(shape);
  });
});
