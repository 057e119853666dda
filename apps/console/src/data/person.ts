import type { Identity } from './api';

/** The value that won for a field of the identity. */
export function attributeOf(identity: Pick<Identity, 'attributes'>, field: string): string | undefined {
  return identity.attributes.find(({ field_name }) => field_name === field)?.field_value;
}

/** Whether an identity has anything but machines: one of a machine without an owner is shown as the machine. */
export function isNotMachine({
  users,
  accounts,
  machine_identities: machines,
}: Pick<Identity, 'users' | 'accounts' | 'machine_identities'>): boolean {
  return users.length + accounts.length > 0 || machines.length === 0;
}

/** Name of an identity, even if no source says one. */
export function nameOf(identity: Pick<Identity, 'id' | 'display_name' | 'users' | 'accounts'>): string {
  return identity.display_name ?? identity.users[0]?.email ?? identity.accounts[0]?.identifier ?? identity.id;
}
