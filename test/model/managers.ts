// "Managers of people" of docs/directory.md.
import type { Directory } from './directory.js';
import { isAddress, keysOf, tiers } from './keys.js';
import { statusOfPerson } from './lifecycle.js';
import { type Entry, isDeleted, isUser } from './types.js';

const placeholders = ['na', 'none', 'unknown'];

/** The manager as the source names them; empty for none. */
export function managerText({ fields }: Entry): string {
  const text = (fields.manager_id ?? '').trim();
  return placeholders.includes(text.toLowerCase().replace(/[^a-z]/g, '')) ? '' : text;
}

/** The texts that may name a person as a manager: those that do, external ids, and values of match keys. */
export const managerNames = (entries: readonly Entry[], person: number): string[] =>
  entries.flatMap((entry) => {
    const { id, fields } = entry;
    const own = [id, ...[...tiers, 'other_emails'].flatMap((field) => (fields[field] ?? '').split(' '))];
    return [...(entry.person === person ? own : []), ...(entry.manager === person ? [fields.manager_id ?? ''] : [])];
  });

/** Finds the managers of all users who have not left their source again. */
export function resolveManagers(directory: Directory): void {
  const entries = [...directory.entries.values()];
  const users = entries.filter(isUser);
  for (const user of users) {
    if (isDeleted(user)) continue;
    const text = managerText(user);
    user.manager = text === '' ? undefined : managerOf(user, text, users);
  }
}

function managerOf(user: Entry, text: string, users: readonly Entry[]): number | undefined {
  const named = users.filter(({ id, person }) => id === text && person !== undefined);
  const own = named.find(({ source }) => source === user.source);
  if (own) return own.person;
  for (const tier of tiers) {
    const linking = users.filter((other) => !isAddress(tier) || !isDeleted(other));
    const holders = linking.filter(({ fields }) => keysOf(fields, tier).includes(text.toLowerCase()));
    const [holder, ...others] = new Set(holders.map(({ person }) => person));
    if (holder !== undefined && others.length === 0) return holder;
  }
  const [elsewhere, ...others] = new Set(named.map(({ person }) => person));
  return others.length === 0 ? elsewhere : undefined;
}

export function hasLeft(directory: Directory, person: number): boolean {
  const entries = directory.of(person);
  return entries.length > 0 && ['inactive', 'deleted'].includes(statusOfPerson(entries));
}
