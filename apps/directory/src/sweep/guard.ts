import { type QuarantineReason, type Safeguard, safeguard } from '@idsync/contracts';
import type { Additions, JobState, RecentRemovals, SyncPlan } from '@idsync/database/directory';
import type { RecordChange } from '../changes/record-change.js';
import { isDeleted } from '../matching/record-keys.js';

/** Actions that the deletion safeguard counts. */
export type DestructiveAction = 'delete' | 'disable';

/** Counts of the records of a run. */
export type RunRecords = Pick<JobState, 'recordsRead' | 'recordsFailed' | 'recordsRetried'> &
  Partial<Pick<JobState, 'retires'>>;

const stopped = new Set(['suspended', 'inactive', 'disabled']);

/** Returns `delete` or `disable` if the change does that to a record. */
export function destructiveActionOf({ record, before, losesAt }: RecordChange): DestructiveAction | undefined {
  return before && (destructiveStep(before.status, record.status) ?? (losesAt && 'disable'));
}

/** Returns what a change of a record from one status to another is. */
function destructiveStep(from: string, to: string): DestructiveAction | undefined {
  if (isDeleted({ status: from })) return undefined;
  if (isDeleted({ status: to })) return 'delete';
  const losesStart = to === 'pending' && from === 'active';
  return losesStart || (stopped.has(to) && !stopped.has(from)) ? 'disable' : undefined;
}

/** Returns true for a step by which a person loses access; one who is `inactive` has none to lose. */
export function isLosingStep(from: string, to: string): boolean {
  return from !== 'inactive' && destructiveStep(from, to) !== undefined;
}

/** Returns true for a change that gives access again, of a record or of an identity. */
export function isEnablingStep(from: string, to: string): boolean {
  return to === 'active' && (isDeleted({ status: from }) || stopped.has(from));
}

/** Returns true for a step by which a person without access gets it, or will at a hire date. */
export function isGainingStep(from: string, to: string): boolean {
  return isEnablingStep(from, to === 'pending' ? 'active' : to);
}

/** Returns true for a step by which an operation gives access to an identity, also before the hire date. */
export function isGainBySetting(from: string, to: string): boolean {
  return to === 'active' && from !== 'active';
}

/** Counts of a plan that the safeguard bounds. */
export type PlannedCounts = Removals & {
  known: number;
  /** Of the disables those that take access from people of other sources. */
  losing?: number;
  /** Records that return to `active`. */
  enabled?: number;
  /** Others that give access to people who have left other sources. */
  gaining?: number;
  /** External ids under which the source lists other people. */
  reused?: number;
  /** Of the deletions of a retirement those that take access. */
  taking?: number;
  /** Absent in the first import of a source, and for sources that do not list people. */
  additions?: Additions | undefined;
};

/** All records of so few people may be deleted, disabled or changed at once. */
const smallTeam = 5;

/** Percentages of the records of a small source, which has fewer than the bound, that a run may remove, enable or change. */
const mostOfFew: Partial<Record<BoundedRule, number>> = { deleted: 25, disabled: 25, enabled: 25, changed: 50 };

/** The same for records that lose a value of a field, which is more of a fault than another value. */
const mostCleared = 25;

type Removals = Pick<SyncPlan, 'deletions' | 'disables'>;

/** Removals of the source's other runs of a day; `losses`: absent if no other source took access from people. */
type Recent = RecentRemovals & { losses?: LossesOfDay | undefined };

/** People who would lose access by a run, and did by earlier ones, of those who had it. */
export interface LossesOfDay {
  count: number;
  before: number;
  of: number;
}

/** Returns the reasons as one text, or undefined if there are none. */
export function quarantineNote(reasons: readonly QuarantineReason[]): string | undefined {
  if (reasons.length === 0) return undefined;
  const failed = reasons.filter(({ rule }) => rule === 'failed').map(({ text }) => text);
  const planned = reasons.filter(({ rule }) => rule !== 'failed').map(({ text }) => text);
  const would = planned.length > 0 ? [`the run would ${planned.join('; and ')}`] : [];
  return `quarantined: ${[...failed, ...would].join('; and ')}`;
}

/**
 * Returns the reasons for a quarantine; none if the run, together with the runs of the last hours, stays within the
 * safeguard.
 */
export function quarantineReasons(
  guard: Safeguard,
  plan: PlannedCounts,
  run: RunRecords,
  recent: Recent = { deletions: 0, disables: 0, gone: 0 },
): QuarantineReason[] {
  const additions = additionReasons(guard, plan, run.recordsRead);
  // New ids explain as many deletions.
  const isExplained = additions.some(({ rule, count }) => rule === 'rekeyed' && count >= plan.deletions);
  const removals = removalReasons(guard, plan, run, recent).filter(({ rule }) => !isExplained || rule !== 'deleted');
  return [...failureReasons(guard, run), ...removals, ...additions];
}

/**
 * Returns the reason if the run left out too many records. Retries do not count, because a few records that fail again
 * may be all that an incremental run reads.
 */
function failureReasons(
  { max_failed_percent: percent, max_failed_records: records }: Safeguard,
  { recordsRead, recordsFailed, recordsRetried }: RunRecords,
): QuarantineReason[] {
  const of = recordsRead - recordsRetried;
  const count = recordsFailed - recordsRetried;
  if (count <= boundOf(percent, records, of)) return [];
  return [reason('failed', { count, of }, [percent, records], `${count} of ${of} records were left out`)];
}

function removalReasons(
  guard: Safeguard,
  plan: PlannedCounts,
  { recordsRead, retires }: RunRecords,
  recent: Recent,
): QuarantineReason[] {
  const { deletions, disables, losing = 0, taking = 0 } = plan;
  // The first import of a source may take access from people of another one.
  const known = plan.known + recent.gone || recordsRead;
  const removal = (
    rule: 'deleted' | 'disabled',
    verb: string,
    { count, before, of }: LossesOfDay,
    noun = 'records',
  ): QuarantineReason[] => {
    const exceeded = boundsWithFew(guard, rule).find((bound, nth) => {
      // A deleted connector has been decided about: if it has few records, only those count that take access.
      const counting = retires && nth > 0 ? taking : count;
      return count > 0 && counting > 0 && counting + before > boundOf(...bound, of);
    });
    const does = `${verb} ${counted(count, before, guard)} of ${of} ${noun}`;
    return exceeded ? [reason(rule, { count, of }, exceeded, does)] : [];
  };
  const deleted = removal('deleted', 'delete', { count: deletions, before: recent.deletions, of: known });
  if (deleted.length === 0 && recordsRead === 0 && !retires && deletions > 0) {
    const text = `delete all ${deletions} records because the source is empty`;
    deleted.push({ rule: 'empty_source', count: deletions, of: known, text });
  }
  const across = losing > 0 ? `records (${losing} decide about people of other sources)` : 'records';
  const disabled = removal('disabled', 'disable', { count: disables, before: recent.disables, of: known }, across);
  const own = [...deleted, ...disabled];
  // With other sources, the people of all of them count.
  return own.length > 0 || !recent.losses ? own : removal('disabled', 'take access from', recent.losses, 'people');
}

/**
 * Returns the reasons why a source must not enable these records and, if it already has people, not get these new or
 * changed ones. Without known records, everything is new, and only what gives access to people of other sources counts.
 */
export function additionReasons(
  guard: Safeguard,
  { known, additions, enabled = 0, gaining = 0, reused = 0 }: Omit<PlannedCounts, keyof Removals | 'losing'>,
  recordsRead: number,
): QuarantineReason[] {
  const of = known || recordsRead;
  const exceeded = (
    rule: Exclude<BoundedRule, 'deleted' | 'disabled'>,
    count: number,
    does: string,
    field?: string,
    most = mostOfFew[rule],
  ) => {
    const bound = boundsWithFew(guard, rule, most).find((each) => count > boundOf(...each, of));
    return bound ? [reason(rule, { count, of, field }, bound, does)] : [];
  };
  const enabling = (known && enabled) + gaining;
  const across = gaining > 0 ? ` (${gaining} decide about people of other sources)` : '';
  const returning = exceeded('enabled', enabling, `enable ${enabling} of ${of} records${across}`);
  if (known === 0) return returning;
  const { created, changed, rekeyed } = additions ?? { created: 0, changed: [], rekeyed: [] };
  return [
    ...exceeded('reused', reused, `list other people under ${reused} of ${of} ids`),
    ...returning,
    ...rekeyed.flatMap(({ field, count }) =>
      exceeded('rekeyed', count, `replace ${count} of ${of} records by new ids with the same ${field}`, field),
    ),
    ...exceeded('created', created, `create ${created} records beside ${of}`),
    ...changed.flatMap(({ field, count, cleared }) =>
      [
        exceeded('changed', count, `change ${field} in ${count} of ${of} records`, field),
        exceeded('changed', cleared, `clear ${field} in ${cleared} of ${of} records`, field, mostCleared),
      ]
        .flat()
        .slice(0, 1),
    ),
  ];
}

/** `does`: what exceeds the bound. */
function reason(
  rule: BoundedRule | 'failed',
  { count, of, field }: Pick<QuarantineReason, 'count' | 'of' | 'field'>,
  [percent, records]: readonly [number, number],
  does: string,
): QuarantineReason {
  const text = rule === 'reused' && records === 0 ? does : `${does}, ${moreThan(percent, records)}`;
  return { rule, ...(field && { field }), count, of, max_percent: percent, max_records: records, text };
}

/** The bounds for a change of settings. */
export const usualGuard = safeguard.parse({});

/**
 * Returns why a change of settings must not take access from so many people, together with those who lost it on that day,
 * or give it to so many beside `active` people; undefined if it may.
 */
export function tooManyChanges({ count, before, of }: LossesOfDay, gains: number, active: number): string | undefined {
  const exceeded = (rule: BoundedRule, changing: number, among: number) =>
    boundsWithFew(usualGuard, rule).find((bound) => changing > boundOf(...bound, among));
  const taking = count > 0 ? exceeded('disabled', count + before, of) : undefined;
  const giving = exceeded('enabled', gains, active);
  const reasons = [
    taking && `take access from ${counted(count, before, usualGuard)} of ${of} people, ${moreThan(...taking)}`,
    giving && `give access to ${gains} people beside ${active} who have it, ${moreThan(...giving)}`,
  ].filter((reason) => reason !== undefined);
  return reasons.length > 0 ? reasons.join('; and ') : undefined;
}

/** Returns true for a reason for which new people and changes wait too, and not only deletions and disables. */
export function boundsAdditions({ rule }: Pick<QuarantineReason, 'rule'>): boolean {
  return ['enabled', 'reused', 'created', 'changed', 'rekeyed'].includes(rule);
}

/** Returns the bounds of a rule and that of a small source; none if the rule is turned off. */
function boundsWithFew(guard: Safeguard, rule: BoundedRule, most = mostOfFew[rule]): [number, number][] {
  const percent = guard[`max_${rule}_percent`];
  const records = guard[`max_${rule}_records`];
  if (percent === 100) return [];
  const few: [number, number][] = most === undefined ? [] : [[Math.max(percent, most), smallTeam]];
  return [[percent, records], ...few];
}

type BoundedRule = 'deleted' | 'disabled' | 'enabled' | 'reused' | 'created' | 'changed' | 'rekeyed';

function boundOf(percent: number, records: number, of: number): number {
  return Math.max(records, Math.floor((of * percent) / 100));
}

function counted(count: number, before: number, { within_hours: hours }: Safeguard): string {
  return before > 0 ? `${count}, after ${before} within ${hours === 24 ? 'a day' : `${hours} hours`},` : `${count}`;
}

function moreThan(percent: number, records: number): string {
  return `more than ${percent} % and more than ${records}`;
}
