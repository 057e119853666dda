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

/** How many records an identity has, and how many of each kind: `1 user`, `2 accounts`. Lists leave out some of many. */
export function recordCounts({ users, accounts, machine_identities: machines, left_out }: Identity) {
  const kinds = [
    [users.length + (left_out?.users ?? 0), 'user'],
    [accounts.length + (left_out?.accounts ?? 0), 'account'],
    [machines.length + (left_out?.machine_identities ?? 0), 'machine'],
  ] as const;
  const shown = kinds.filter(([count]) => count > 0);
  return {
    count: shown.reduce((sum, [count]) => sum + count, 0),
    words: shown.map(([count, word]) => `${count} ${word}${count === 1 ? '' : 's'}`),
  };
}

/** Name of an identity, even if no source says one. */
export function nameOf(identity: Pick<Identity, 'id' | 'display_name' | 'users' | 'accounts'>): string {
  return identity.display_name ?? identity.users[0]?.email ?? identity.accounts[0]?.identifier ?? identity.id;
}
