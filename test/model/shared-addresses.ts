// "An address of several people" of docs/directory.md: links that rest on nothing else.
import { areOtherPeople, type Group } from './contradictions.js';
import { componentsOf } from './corrected-numbers.js';
import { valuesOf } from './joining.js';
import { isAddress, keysOf, type Tier, tiers } from './keys.js';
import { haveOneName } from './names.js';
import { type Entry, isDeleted } from './types.js';

type Shared = ReadonlyMap<Tier, ReadonlySet<string>>;

/** The values of each kind of address that two people have who cannot be one. */
export function sharedAddresses(groups: readonly Group[]): Shared {
  return new Map(
    tiers.filter(isAddress).map((tier) => {
      const values = new Set(groups.flatMap((group) => valuesOf(group, tier)));
      const isShared = (value: string) => {
        const having = groups.filter((group) => valuesOf(group, tier).includes(value));
        return having.some((a, at) => having.slice(at + 1).some((b) => areOtherPeople(a, b, tier)));
      };
      return [tier, new Set([...values].filter(isShared))];
    }),
  );
}

/** The oldest record that only such an address connects with the older ones of its person. */
export function doubtfulLinkOf(group: Group, shared: Shared): { entry: Entry; tier: Tier; value: string } | undefined {
  const isSharedBy = (tier: Tier, value: string) => shared.get(tier)?.has(value) === true;
  const [first = [], ...others] = componentsOf(group, (a, b) => {
    const common = tiers.flatMap((tier) =>
      keysOf(a.fields, tier).flatMap((value) => (keysOf(b.fields, tier).includes(value) ? [{ tier, value }] : [])),
    );
    const isFirm = common.some(({ tier, value }) => !isSharedBy(tier, value));
    return (a.manual && b.manual) || isFirm || (common.length > 0 && haveOneName(a, b));
  });
  const older = [...first];
  for (const part of others) {
    for (const entry of part.filter((each) => !each.manual && !isDeleted(each)))
      for (const tier of tiers)
        for (const value of keysOf(entry.fields, tier))
          if (isSharedBy(tier, value) && valuesOf(older, tier).includes(value)) return { entry, tier, value };
    older.push(...part);
  }
  return undefined;
}
