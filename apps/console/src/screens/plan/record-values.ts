import type { Identity } from '../../data/api';

/** Fields of the service, which no source lists. */
const ownFields = new Set([
  'id',
  'external_id',
  'tenant_id',
  'created_at',
  'updated_at',
  'last_synced_at',
  'person_id',
]);

type Records = Pick<Identity, 'users' | 'accounts' | 'machine_identities'>;

/** Values of a record of an identity; undefined if it has no such record. */
export function recordValues(
  { users, accounts, machine_identities: machines }: Records,
  recordId: string,
): [field: string, value: unknown][] | undefined {
  const record = [...users, ...accounts, ...machines].find(({ id }) => id === recordId);
  return (
    record &&
    Object.entries(record).filter(
      ([field, value]) => !ownFields.has(field) && value !== '' && !(Array.isArray(value) && value.length === 0),
    )
  );
}
