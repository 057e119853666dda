import type { Identity } from './api';

/** The value that won for a field of the identity. */
export function attributeOf(identity: Pick<Identity, 'attributes'>, field: string): string | undefined {
  return identity.attributes.find(({ field_name }) => field_name === field)?.field_value;
}

/** The machine of an identity that is no person: a machine without an owner has its own identity. */
export function machineOf({
  users,
  accounts,
  machine_identities: machines,
}: Pick<Identity, 'users' | 'accounts' | 'machine_identities'>): Identity['machine_identities'][number] | undefined {
  return users.length + accounts.length === 0 ? machines[0] : undefined;
}

/** Name of an identity, even if no source says one. */
export function nameOf(identity: Pick<Identity, 'id' | 'display_name' | 'users' | 'accounts'>): string {
  return identity.display_name ?? identity.users[0]?.email ?? identity.accounts[0]?.identifier ?? identity.id;
}
