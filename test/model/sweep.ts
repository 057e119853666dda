// "Deletion detection" and "New and changed people under the safeguard" of docs/directory.md: what a run plans, and when
// the safeguard holds it.
import { haveDifferentNumbers } from './contradictions.js';
import { isAddress, keysOf, permanentTiers, type Tier, tiers } from './keys.js';
import { haveNoWordInCommon, haveOnlyTheLastWordInCommon } from './names.js';
import { isReused } from './reused-ids.js';
import { type Bound, type Entry, type Fields, isDeleted, isUser, type Source } from './types.js';

/** A change that a run applies at its end. */
export interface Planned {
  action: 'create' | 'update' | 'disable' | 'delete';
  id: string;
  status: string;
  /** Undefined if the source no longer lists the record. */
  fields?: Fields;
  /** The stored record; undefined for a new one. */
  entry?: Entry | undefined;
  /** The external id of the stored record, if it gets another one. */
  movedFrom?: string;
  /** Fields under the safeguard of which a value changes or is lost. */
  changed: readonly string[];
  /** Waits because the person would lose access. */
  takes?: boolean;
}

/** Of a change of a listed record. */
export const actionOf = (entry: Entry | undefined, status: string): Planned['action'] =>
  destructiveAction(entry, status) ?? (entry ? 'update' : 'create');

/** New people and changed ones, which the safeguard bounds apart from deletions and disables. */
export const isAddition = ({ action, movedFrom }: Planned): boolean =>
  action === 'create' || action === 'update' || movedFrom !== undefined;

/** A record that is not stored yet. */
export const isNew = ({ entry, fields }: Planned): boolean => entry === undefined && fields !== undefined;

const stopped = ['inactive', 'suspended', 'disabled'];

export function destructiveAction(
  before: Pick<Entry, 'status'> | undefined,
  status: string,
): 'disable' | 'delete' | undefined {
  if (before === undefined || isDeleted(before)) return undefined;
  if (status === 'deleted') return 'delete';
  if (status === 'pending' && before.status === 'active') return 'disable';
  return stopped.includes(status) && !stopped.includes(before.status) ? 'disable' : undefined;
}

/**
 * A value where there was none is no change. Changed fields count in a source of people that has been read completely
 * before, a return to active in every source.
 */
export const countedChanges = (
  before: Entry | undefined,
  { fields, status }: { fields: Fields; status: string },
  { safeguard }: Source,
  isGuarded: boolean,
): string[] => {
  const changed = safeguard.changedFields.filter(
    (field) => isGuarded && before?.fields[field] && before.fields[field] !== fields[field],
  );
  const marks = [
    ...(before && isEnabled(before.status, status) ? [enabled] : []),
    ...(isReused(before, fields) ? [reused] : []),
  ];
  return [...changed, ...marks];
};
export const isEnabled = (from: string, to: string): boolean =>
  to === 'active' && [...stopped, 'deleted'].includes(from);

export const enabled = 'enabled';
/** Gives access to a person who has left other sources. */
export const gaining = 'gaining';
export const reused = 'reused';

/** People who would lose access by a run, and did by the others of a day, of those who had it. */
export interface LossesOfDay {
  count: number;
  before: number;
  of: number;
}

/** Numbers of the records that the runs of a day have deleted and disabled. */
export type Removals = Readonly<Record<'delete' | 'disable', number>>;

/** Returns why the safeguard stops a run: its removals, or its additions, for which everything waits. */
export function heldBy(
  source: Source,
  plan: readonly Planned[],
  {
    living,
    read,
    isGuarded,
    isFull,
    retired,
    recent,
    losses,
  }: {
    living: number;
    read: number;
    isGuarded: boolean;
    isFull: boolean;
    /** Of a deleted connector: how many of its records take access. */
    retired: { takes: number } | undefined;
    recent: Removals;
    losses: LossesOfDay | undefined;
  },
  entries: readonly Entry[],
): { removals: boolean; additions: boolean } {
  const { deleted, disabled } = source.safeguard;
  const count = (action: Planned['action']) => plan.filter((each) => each.action === action).length;
  const isTooManyOfFew = (now: number, before: number, bound: Bound, of: number) =>
    now > 0 && isPartOfFew(now + before, bound, of, 25);
  const isTooMany = (now: number, before: number, bound: Bound, of = living + recent.delete || read) =>
    now > 0 && (exceeds(now + before, bound, of) || isTooManyOfFew(retired?.takes ?? now, before, bound, of));
  const removals =
    isTooMany(count('delete'), recent.delete, deleted) ||
    isTooMany(count('disable'), recent.disable, disabled) ||
    (read === 0 && count('delete') > 0) ||
    (losses !== undefined && isTooMany(losses.count, losses.before, disabled, losses.of));
  return { removals, additions: exceedsAdditions(source, plan, { living, read, isGuarded, isFull }, entries) };
}

export function exceedsAdditions(
  source: Source,
  plan: readonly Planned[],
  { living, read, isGuarded, isFull }: { living: number; read: number; isGuarded: boolean; isFull: boolean },
  entries: readonly Entry[],
): boolean {
  const { created, rekeyed, changed, changedFields: fields, enabled: returning, reused: others } = source.safeguard;
  const made = plan.filter(isNew);
  const count = made.filter(({ action }) => action === 'create').length;
  const gone = plan.flatMap(({ fields: listed, entry }) => (listed === undefined && entry ? [entry] : []));
  // An incremental run cannot know whether an old id is gone.
  const unknown = isFull ? [] : livingOf(entries, source);
  const replacing = made.flatMap((each) => replacedBy(each, { gone, unknown }, entries) ?? []);
  const changing = (field: string) => plan.filter((each) => each.changed.includes(field)).length;
  const clearing = (field: string) =>
    plan.filter((each) => each.changed.includes(field) && !each.fields?.[field]).length;
  const areTooMany = (giving: number, of: number) =>
    exceeds(giving, returning, of) || isPartOfFew(giving, returning, of, 25);
  if (living === 0) return areTooMany(changing(gaining), read);
  if (areTooMany(changing(enabled) + changing(gaining), living) || exceeds(changing(reused), others, living))
    return true;
  return (
    isGuarded &&
    (exceeds(count, created, living) ||
      tiers.some((tier) => exceeds(replacing.filter((by) => by === tier).length, rekeyed, living)) ||
      fields.some(
        (field) =>
          exceeds(changing(field), changed, living) ||
          isPartOfFew(changing(field), changed, living, 50) ||
          isPartOfFew(clearing(field), changed, living, 25),
      ))
  );
}

/** A small source has fewer records than the bound. */
const isPartOfFew = (count: number, { percent }: Bound, of: number, most: number): boolean =>
  exceeds(count, { percent: percent === 100 ? 100 : Math.max(percent, most), records: 5 }, of);

/** Returns the match key by which a new record may replace one that is no longer listed, if one person has it. */
function replacedBy(
  { fields = {} }: Planned,
  { gone, unknown }: { gone: readonly Entry[]; unknown: readonly Entry[] },
  entries: readonly Entry[],
): Tier | undefined {
  const tier = tiers.find((each) => holderOf(fields, each, entries) !== undefined);
  if (tier === undefined) return undefined;
  const replaced = isAddress(tier) ? [...gone, ...unknown] : gone;
  return replaced.some(({ person }) => person === holderOf(fields, tier, entries)) ? tier : undefined;
}

/** Returns the person who has the first match key of a new record that only one person has. */
export function resembledBy({ entry, fields = {} }: Planned, entries: readonly Entry[]): number | undefined {
  return entry ? undefined : tiers.flatMap((tier) => holderOf(fields, tier, entries) ?? [])[0];
}

/** Returns the person of the first value of a key that only one person has. A deleted user has given up its addresses. */
function holderOf(fields: Fields, tier: Tier, entries: readonly Entry[]): number | undefined {
  const linking = entries.filter((entry) => isUser(entry) && (!isAddress(tier) || !isDeleted(entry)));
  for (const value of keysOf(fields, tier)) {
    const holders = linking.filter((entry) => keysOf(entry.fields, tier).includes(value));
    const persons = new Set(holders.map(({ person }) => person));
    if (persons.size === 1) return holders[0]?.person;
  }
  return undefined;
}

const exceeds = (count: number, { percent, records }: Bound, of: number): boolean =>
  percent < 100 && count > records && count * 100 > percent * of;

/**
 * "New ids for everyone": a new record with the employee number and a similar name of one that is no longer listed is the
 * same record, if the number belongs to one person. So is one with another permanent key.
 */
export function withMoves(plan: readonly Planned[], entries: readonly Entry[]): Planned[] {
  const left = new Set(plan.filter(({ fields }) => fields === undefined));
  const made = plan.filter(isNew);
  const pairs = made.flatMap((each) => {
    const [holder] = permanentTiers.flatMap((tier) => holderOf(each.fields ?? {}, tier, entries) ?? []);
    const same = [...left].filter(({ entry }) => entry?.person === holder && isSameRecord(entry, each));
    return same.map((other) => ({ made: each, other, isOther: hired(each.fields) !== hired(other.entry?.fields) }));
  });
  // Of several contracts of a person, those with the same hire date are the same.
  const ordered = pairs.sort(
    (a, b) =>
      Number(a.isOther) - Number(b.isOther) ||
      byText(a.made.id, b.made.id) ||
      (a.other.entry?.nth ?? 0) - (b.other.entry?.nth ?? 0),
  );
  const moves = new Map<Planned, Planned>();
  for (const { made: each, other } of ordered) {
    if (moves.has(each) || !left.has(other) || !other.entry) continue;
    left.delete(other);
    moves.set(each, moved(each, other.entry));
  }
  return plan.filter((each) => each.fields !== undefined || left.has(each)).map((each) => moves.get(each) ?? each);
}

const hired = (fields: Fields | undefined): string => fields?.hire_date ?? '';
const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

function isSameRecord(entry: Entry | undefined, { fields = {} }: Planned): boolean {
  const share = (tier: Tier) =>
    keysOf(fields, tier).some((value) => entry && keysOf(entry.fields, tier).includes(value));
  if (!entry || !permanentTiers.some(share) || haveDifferentNumbers([entry], [{ ...entry, fields }])) return false;
  return !haveNoWordInCommon(entry, { fields }) && !haveOnlyTheLastWordInCommon(entry, { fields });
}

function moved(made: Planned, entry: Entry): Planned {
  return {
    ...made,
    action: actionOf(entry, made.status),
    entry,
    movedFrom: entry.id,
    changed: countedChanges(entry, { fields: made.fields ?? {}, status: made.status }, entry.source, true),
  };
}

export const livingOf = (entries: Iterable<Entry>, source: Source): Entry[] =>
  [...entries].filter((entry) => entry.source === source && !isDeleted(entry));
