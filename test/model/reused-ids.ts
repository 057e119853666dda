// "The same id for another person" of docs/directory.md.
import { keysOf, permanentTiers, tiers } from './keys.js';
import { haveNoWordInCommon, haveOnlyTheLastWordInCommon } from './names.js';
import { type Entry, type Fields, isUser } from './types.js';

export function isReused(entry: Entry | undefined, fields: Fields): boolean {
  if (!entry || !isUser(entry)) return false;
  // A key that repeats the id says nothing more.
  const valuesOf = (some: Fields, tier: (typeof tiers)[number]) =>
    keysOf(some, tier).filter((value) => value !== entry.id);
  const share = (tier: (typeof tiers)[number]) =>
    valuesOf(fields, tier).some((value) => valuesOf(entry.fields, tier).includes(value));
  const differ = (tier: (typeof tiers)[number]) =>
    valuesOf(fields, tier).length > 0 && valuesOf(entry.fields, tier).length > 0 && !share(tier);
  const haveOneMailbox = tiers.some(share);
  if (permanentTiers.some(share)) return false;
  const hasPermanentKey = permanentTiers.some((tier) =>
    [fields, entry.fields].some((each) => valuesOf(each, tier).length),
  );
  if (!hasPermanentKey) return !haveOneMailbox && tiers.some(differ) && haveNoWordInCommon(entry, { fields });
  if (!permanentTiers.some(differ)) return false;
  if (haveNoWordInCommon(entry, { fields })) return true;
  return !haveOneMailbox && haveOnlyTheLastWordInCommon(entry, { fields });
}

/** The external id of a user that has given it up to another person, by the number of those before. */
export const formerId = (id: string, nth: number): string => `${id} (formerly${nth > 1 ? ` ${nth}` : ''})`;
