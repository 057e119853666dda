import { encodeId, type MachineReference, type RecordKind, recordFields } from '@idsync/contracts';
import type { StoredRecord } from '@idsync/database/directory';
import { isNoReference } from '../managers/references.js';

/**
 * Renders the public JSON of a user, account or machine identity. Unknown values are omitted; lists are always present.
 */
export function renderRecord(record: StoredRecord, tenantId: string): string {
  return JSON.stringify(render[record.kind](record, encodeId('tenant', tenantId)));
}

const render: Record<RecordKind, (record: StoredRecord, tenantId: string) => object> = {
  user: (record, tenantId) => ({
    id: encodeId('user', record.id),
    external_id: record.externalId,
    ...delivered(record),
    status: record.status,
    tenant_id: tenantId,
    manager_id: personShown(record, 'manager_id'),
    created_at: record.createdAt.toISOString(),
    updated_at: record.updatedAt.toISOString(),
  }),
  account: (record) => ({
    id: encodeId('account', record.id),
    external_id: record.externalId,
    ...delivered(record),
    identifier: one(record, 'identifier') ?? record.externalId,
    status: record.status,
    source_system_id: one(record, 'source_system_id') ?? encodeId('connector', record.connectorId),
    person_id: record.identityId && encodeId('identity', record.identityId),
    last_synced_at: record.updatedAt.toISOString(),
    created_at: record.createdAt.toISOString(),
    updated_at: record.updatedAt.toISOString(),
  }),
  machine_identity: (record) => ({
    id: encodeId('machineIdentity', record.id),
    ...delivered(record),
    display_name: one(record, 'display_name') ?? record.externalId,
    classification: one(record, 'classification') ?? 'unknown',
    owned_by: personShown(record, 'owned_by'),
    manager_id: personShown(record, 'manager_id'),
    technical_inheritor: personShown(record, 'technical_inheritor'),
    risk_score: record.machine?.risk.score,
    risk_factors: record.machine?.risk.factors.map(({ factor }) => factor) ?? [],
    status: record.status,
    created_at: record.createdAt.toISOString(),
    updated_at: record.updatedAt.toISOString(),
  }),
};

/** The fields that the source delivers. Other addresses are attributes only. */
function delivered(record: StoredRecord): Record<string, unknown> {
  const { text, date, list } = recordFields[record.kind];
  const shown: Record<string, unknown> = {};
  for (const field of [...text, ...date]) shown[field] = one(record, field);
  for (const field of list) if (field !== 'other_emails') shown[field] = record.fields[field] ?? [];
  return shown;
}

function one(record: StoredRecord, field: string): string | undefined {
  return record.fields[field]?.[0];
}

/**
 * Returns the identity id of a person that a machine or a user refers to, or the source's text if it is not resolved. A
 * placeholder is no manager of a user.
 */
export function personShown(record: StoredRecord, role: MachineReference): string | undefined {
  const id = record.machine?.people[role] ?? (role === 'manager_id' ? record.managerId : undefined);
  if (id !== undefined) return encodeId('identity', id);
  const text = one(record, role);
  return text !== undefined && record.kind === 'user' && isNoReference(text) ? undefined : text;
}
