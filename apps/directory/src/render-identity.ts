import { encodeId, type RecordKind } from '@idsync/contracts';
import type { StoredIdentity, StoredRecord } from '@idsync/database';
import type { Attribute } from './merge-attributes.js';

/** The public JSON of an identity: its records' own documents are put in as they are, never parsed again. */
export function renderIdentity(
  identity: Omit<StoredIdentity, 'document'>,
  attributes: readonly Attribute[],
  records: readonly StoredRecord[],
): string {
  const head = JSON.stringify({
    id: encodeId('identity', identity.id),
    display_name: identity.displayName,
    status: identity.status,
    created_at: identity.createdAt.toISOString(),
    updated_at: identity.updatedAt.toISOString(),
    attributes,
  });
  const documents = (kind: RecordKind) =>
    records
      .filter((record) => record.kind === kind)
      .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1))
      .map((record) => record.document)
      .join(',');
  return `${head.slice(0, -1)},"users":[${documents('user')}],"accounts":[${documents('account')}],"machine_identities":[${documents('machine_identity')}]}`;
}

/** What to call an identity: its best display name, else its names, else whatever tells it apart. */
export function displayNameOf(
  winners: ReadonlyMap<string, Attribute>,
  records: readonly StoredRecord[],
): string | undefined {
  const value = (field: string) => winners.get(field)?.field_value;
  const names = [value('first_name'), value('last_name')].filter((name) => name !== undefined).join(' ');
  return (
    value('display_name') ??
    (names ||
      (value('email') ??
        value('user_principal_name') ??
        value('employee_number') ??
        records.map((record) => record.externalId).sort()[0]))
  );
}
