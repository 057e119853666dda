// A run of a source: docs/directory.md, "Deletion detection"; docs/sources.md; ADR 0032, 0040 and 0070.
import type { Cases } from './cases.js';
import type { Directory, Placement } from './directory.js';
import { countingRows, isWeaker } from './employments.js';
import type { Erasures } from './erasures.js';
import { statusOf } from './lifecycle.js';
import { managerNames } from './managers.js';
import { accessOf, losersBetween, peopleWithAccess, rehearse, type State, stateOf } from './rehearse.js';
import { formerId } from './reused-ids.js';
import {
  actionOf,
  countedChanges,
  enabled,
  exceedsAdditions,
  gaining,
  heldBy,
  isAddition,
  isNew,
  type LossesOfDay,
  livingOf,
  type Planned,
  type Removals,
  resembledBy,
  reused,
  withMoves,
} from './sweep.js';
import { type Entry, type Fields, isDeleted, isUser, nameOf, type Row, type Source } from './types.js';

/** The records that a run has read. */
export interface Reading {
  rows: readonly Row[];
  /** External ids that the source reports as deleted. */
  removed: readonly string[];
  /** The checkpoint from which changes were read; undefined for a complete read. */
  since: number | undefined;
  /** The checkpoint of this run, if the source reports changes. */
  end: number | undefined;
  /** Whether the end of the source was reached. */
  isComplete: boolean;
}

/** Results of idsync that the model takes over, because they depend on the order in which batches are applied. */
export interface Observed {
  created: readonly string[];
  aside: ReadonlySet<string>;
  given: ReadonlySet<string>;
}

export interface Run {
  nth: number;
  source: Source;
  status: 'completed' | 'quarantined' | 'cancelled' | 'failed';
  /** Of a held run: what waits for the decision. */
  plan: Planned[];
  /** Whether it has read everything. */
  isFull: boolean;
  end: number | undefined;
  /** Numbers of the records that it has deleted and disabled. */
  removals: Removals;
  isReleased: boolean;
}

export class Runs {
  readonly all: Run[] = [];
  /** Where the next incremental run of a source starts. */
  readonly checkpoints = new Map<Source, number>();
  /** Sources that have been read completely. */
  private readonly known = new Set<Source>();
  /** The people who lost access by the runs of a source, or a change of settings, in the order of their ends. */
  private readonly losing: { by: object; people: readonly number[]; isReleased: boolean }[] = [];

  constructor(
    private readonly directory: Directory,
    private readonly cases: Cases,
    private readonly erasures: Erasures,
  ) {}

  held(): Run[] {
    return this.all.filter(({ status }) => status === 'quarantined');
  }

  heldOf(source: Source): Run | undefined {
    return this.held().find((run) => run.source === source);
  }

  /**
   * Results that depend on the order of batches are given: `created` has the names of all records in the order of their creation,
   * and `aside` and `given` the ids of rows by which a person would have lost access during the run, or got it.
   */
  run(nth: number, source: Source, reading: Reading, { created, aside, given }: Observed): Run {
    const { removed, since, end, isComplete } = reading;
    const rows = reading.rows.filter((row) => !this.erasures.leavesOut(source, row));
    const { entries } = this.directory;
    const living = livingOf(entries.values(), source);
    const isGuarded = source.kind === 'user' && this.known.has(source);
    const { today } = this.directory;
    const counting = since === undefined ? countingRows(source, rows, today) : rows;
    const listed = new Map(counting.map((row) => [row.id, row]));
    const all = [...listed.values()].map((row): Planned => {
      const own = this.planned(source, row, isGuarded);
      const gives = given.has(row.id) && !own.changed.includes(enabled);
      const planned = gives ? { ...own, changed: [...own.changed, gaining] } : own;
      return aside.has(row.id) && isAddition(planned) ? { ...planned, action: 'disable', takes: true } : planned;
    });
    // Another row of a complete read may list what the record had before.
    const isContested = ({ entry, fields = {} }: Planned) =>
      since === undefined && entry !== undefined && isWeaker(source, fields, entry.fields, today);
    const waits = (each: Planned) =>
      !isAddition(each) || each.changed.length > 0 || (isGuarded && !each.entry) || isContested(each);
    const atTheEnd = all.filter(waits);
    const held = this.heldOf(source);
    if (held) held.plan = held.plan.filter((old) => !isContradicted(old, all, atTheEnd));
    const gone =
      since === undefined
        ? living.filter(({ id }) => !listed.has(id))
        : [...new Set(removed)].flatMap((id) => living.filter((entry) => entry.id === id));
    const run: Run = { nth, source, status: 'completed', plan: [], isFull: since === undefined, end, ...fresh };
    this.all.push(run);
    const deletions = gone.map((entry): Planned => {
      return { action: 'delete', id: entry.id, status: 'deleted', entry, changed: [] };
    });
    const stored = [...entries.values()].map((entry) => ({ ...entry }));
    const now = all.filter((each) => !waits(each));
    const tried = rehearse(this.directory, created, [now, atTheEnd.filter(({ takes }) => takes)], (plan) => {
      this.apply(run, plan);
      const unfinished = new Set([...this.held().map((other) => other.nth), nth]);
      this.directory.match(nth, unfinished, [], { isDecision: false });
    });
    if (tried[0]?.losing.size || tried[0]?.gaining.length)
      throw new Error('people lose or get access before the run is complete');
    for (const each of atTheEnd)
      if (each.takes && isComplete && !tried[1]?.takers.has(nameOf(source, each.id)))
        each.action = actionOf(each.entry, each.status);
    const reached = tried[0]?.after ?? new Map();
    const before = { plan: [...atTheEnd, ...deletions], living: living.length, isGuarded, reached };
    this.apply(run, now);
    const read = rows.length + removed.length;
    if (!isComplete) run.status = 'failed';
    else if (held) {
      held.plan = held.plan.filter(({ movedFrom }) => !all.some(({ id }) => id === movedFrom));
      if (run.isFull) held.plan = held.plan.filter((old) => !isNewId(old) || atTheEnd.some(({ id }) => id === old.id));
    }
    const isObsolete = held?.plan.length === 0;
    if (isComplete && held && !isObsolete) this.endBeside(held, run, { ...before, read }, stored);
    else if (isComplete) this.end(run, { ...before, read }, stored);
    this.match(nth, [], created);
    const known = new Set(stored.map(({ person }) => person));
    this.noteLosses(source, new Map([...accessOf(reached)].filter(([person]) => known.has(person))));
    // Only now, because its links are loose during the run.
    if (isComplete && held && isObsolete) this.cancel(held);
    return run;
  }

  private planned(source: Source, { id, fields }: Row, isGuarded: boolean): Planned {
    const entry = this.directory.entries.get(nameOf(source, id));
    const status = statusOf(source, fields, this.directory.today);
    return {
      action: actionOf(entry, status),
      id,
      status,
      fields,
      entry,
      changed: countedChanges(entry, { fields, status }, source, isGuarded),
    };
  }

  /** Applies what a run has planned, or holds it. If only its removals are too many, the additions are applied. */
  private end(
    run: Run,
    {
      plan,
      living,
      isGuarded,
      read,
      reached,
      retired,
    }: {
      plan: Planned[];
      living: number;
      isGuarded: boolean;
      read: number;
      reached: State;
      retired?: { takes: number };
    },
    stored: readonly Entry[],
  ): void {
    const whole = isGuarded ? withMoves(plan, stored) : plan;
    const { removals, additions } = heldBy(
      run.source,
      whole,
      {
        living,
        read,
        isGuarded,
        isFull: run.isFull,
        retired,
        recent: this.recentRemovals(run.source),
        losses: this.lossesOfDay(run.source, whole, reached),
      },
      stored,
    );
    const now = (each: Planned) => !additions && (!removals || each.action === 'create' || each.action === 'update');
    this.apply(run, whole.filter(now));
    run.removals = removalsOf(whole);
    run.plan = whole.filter((each) => !now(each));
    if (removals || additions) run.status = 'quarantined';
    else this.complete(run);
  }

  /**
   * Leaves removals to the run after the decision about the held one, and additions too if that has some, or if they are
   * too many themselves.
   */
  private endBeside(
    held: Run,
    run: Run,
    { plan, living, isGuarded, read }: { plan: Planned[]; living: number; isGuarded: boolean; read: number },
    stored: readonly Entry[],
  ): void {
    const additions = plan.filter(isAddition);
    const waits =
      additions.length > 0 &&
      (held.plan.some(isAddition) ||
        exceedsAdditions(run.source, additions, { living, read, isGuarded, isFull: run.isFull }, stored));
    if (!waits) this.apply(run, additions);
    if (!waits && additions.length === plan.length) this.complete(run);
  }

  /**
   * Removes what held runs would do to a person who is erased, or to a new record with a match key of the person. Changes
   * of the people whose manager this was no longer name the person.
   */
  forget(person: number): void {
    const entries = [...this.directory.entries.values()];
    const names = managerNames(entries, person);
    for (const run of this.held()) {
      const left = run.plan.filter((each) => each.entry?.person !== person && resembledBy(each, entries) !== person);
      run.plan = left.map((each) => {
        const isNamed = each.entry?.manager === person && each.fields && names.includes(each.fields.manager_id ?? '');
        return isNamed ? { ...each, fields: { ...each.fields, manager_id: '' } } : each;
      });
    }
  }

  /** Deletes the records of a deleted connector under its safeguard. */
  retire(nth: number, source: Source, created: readonly string[]): Run {
    this.dropPlansOf(source);
    const living = livingOf(this.directory.entries.values(), source);
    const plan = living.map((entry): Planned => {
      return { action: 'delete', id: entry.id, status: 'deleted', entry, changed: [] };
    });
    const run: Run = { nth, source, status: 'completed', plan: [], isFull: true, end: undefined, ...fresh };
    this.all.push(run);
    const reached = stateOf(this.directory);
    const was = accessOf(reached);
    const of = { living: living.length, read: living.length, isGuarded: false, reached };
    const takes = living.filter((entry) => isUser(entry) && isLastActive(entry, reached)).length;
    this.end(run, { plan, ...of, retired: { takes } }, []);
    this.match(nth, [], created);
    this.noteLosses(source, was);
    return run;
  }

  /** A source that has got the records of another one is as if it had been read completely. */
  markAsRead(source: Source): void {
    this.known.add(source);
  }

  dropPlansOf(source: Source): void {
    for (const run of this.held()) if (run.source === source) run.plan = [];
  }

  release(run: Run, created: readonly string[]): void {
    run.status = 'completed';
    run.isReleased = true;
    const was = accessOf(stateOf(this.directory));
    this.apply(run, run.plan);
    this.complete(run);
    this.match(run.nth, [], created);
    this.noteLosses(run.source, was, true);
  }

  cancel(run: Run): void {
    run.status = 'cancelled';
  }

  /** Of all runs of this source that are completed, back to the last release: they are within one day. */
  private recentRemovals(source: Source): Removals {
    const ended = this.all.filter((run) => run.source === source && run.status === 'completed' && hasRemovals(run));
    const counted = source.safeguard.countsTheDay
      ? ended.slice(ended.findLastIndex(({ isReleased }) => isReleased) + 1)
      : [];
    const sum = (action: 'delete' | 'disable') => counted.reduce((total, { removals }) => total + removals[action], 0);
    return { delete: sum('delete'), disable: sum('disable') };
  }

  noteLosses(by: object, was: Parameters<typeof losersBetween>[0], isReleased = false): void {
    const people = losersBetween(was, stateOf(this.directory));
    if (people.length > 0) this.losing.push({ by, people, isReleased });
  }

  /**
   * How many people have lost access within the day, back to a release; none if only by the source itself. People
   * with access again after a run do not count.
   */
  lostToday(by: object): number {
    const undecided = this.losing.slice(this.losing.findLastIndex(({ isReleased }) => isReleased) + 1);
    if (undecided.every((each) => each.by === by)) return 0;
    const access = accessOf(stateOf(this.directory));
    const isBack = (person: number) => ['active', 'suspended'].includes(access.get(person)?.status ?? '');
    return undecided
      .map(
        ({ by: cause, people }) => ('safeguard' in cause ? people.filter((person) => !isBack(person)) : people).length,
      )
      .reduce((total, count) => total + count, 0);
  }

  private lossesOfDay(source: Source, plan: readonly Planned[], reached: State): LossesOfDay | undefined {
    const before = source.safeguard.countsTheDay && source.kind === 'user' ? this.lostToday(source) : 0;
    if (before === 0) return undefined;
    const access = accessOf(reached);
    const hasAccess = (person = 0) => ['active', 'suspended'].includes(access.get(person)?.status ?? '');
    const taking = plan.filter(({ action }) => action === 'disable' || action === 'delete');
    const count = taking.filter(
      ({ takes, entry }) => takes || hasAccess(reached.get(entry?.name ?? '')?.person),
    ).length;
    return { count, before, of: Math.min(before + peopleWithAccess(reached), access.size) };
  }

  /** A checkpoint never moves back. */
  private complete({ source, end, isFull }: Run): void {
    if (isFull) this.known.add(source);
    const before = this.checkpoints.get(source);
    if (end !== undefined && !(before !== undefined && before > end)) this.checkpoints.set(source, end);
  }

  /**
   * The links of a run that waits for a decision are loose, as those of a running one. `created`: all records after a run;
   * other changes are decisions of operators.
   */
  match(by: number, placements: readonly Placement[] = [], created?: readonly string[]): void {
    const held = this.held().map(({ nth }) => nth);
    if (created && created.length > 0)
      for (const entry of this.directory.entries.values()) entry.nth = created.indexOf(entry.name);
    this.directory.match(by, new Set([...held, by]), placements, { isDecision: created === undefined });
    this.cases.update(this.directory.disputes);
  }

  private apply({ nth, source }: Run, plan: readonly Planned[]): void {
    const { entries } = this.directory;
    const inUse = new Set(entries.keys());
    for (const { id, fields, status, entry: stored, movedFrom, changed } of plan) {
      const name = nameOf(source, id);
      if (changed.includes(reused)) this.giveUp(entries.get(name), nth);
      const moves = stored !== undefined && stored.id === movedFrom && !inUse.has(name);
      const entry = fields === undefined || moves ? stored : entries.get(name);
      if (entry) this.change(entry, nth, { fields: fields ?? entry.fields, status, ...(moves && { id }) });
      else if (fields) {
        const unlinked = { person: undefined, manual: false, linkedBy: undefined };
        const made = { name, source, id, fields, status, nth: entries.size };
        entries.set(name, { ...made, ...unlinked, changedBy: nth, before: undefined });
      }
    }
  }

  /** A user whose id another person has now is deleted, and keeps the values. */
  private giveUp(entry: Entry | undefined, by: number): void {
    if (!entry) return;
    const { entries } = this.directory;
    const names = (nth: number) => nameOf(entry.source, formerId(entry.id, nth));
    let nth = 1;
    while (entries.has(names(nth))) nth += 1;
    this.change(entry, by, { fields: entry.fields, status: 'deleted', id: formerId(entry.id, nth) });
  }

  private change(entry: Entry, by: number, to: Pick<Entry, 'fields' | 'status'> & { id?: string }): void {
    const { id, fields, status, listed } = entry;
    const isMoved = to.id !== undefined && to.id !== id;
    const isListedAgain = listed !== undefined && listed === JSON.stringify(to.fields);
    if (!isMoved && (isListedAgain || (status === to.status && sameFields(fields, to.fields)))) return;
    if (entry.changedBy !== by) entry.before = { fields, status, listed, ...(isMoved && { id }) };
    Object.assign(entry, { fields: to.fields, status: to.status, changedBy: by, listed: undefined });
    if (isMoved) this.directory.rename(entry, to.id ?? id);
  }

  /** Restores what a run was the last to change. The records that it has created are deleted. */
  undo(by: number, run: Run): void {
    const inUse = new Set(this.directory.entries.keys());
    for (const entry of [...this.directory.entries.values()]) {
      if (entry.changedBy !== run.nth || entry.source !== run.source) continue;
      const { id, ...values } = entry.before ?? { status: 'deleted' };
      Object.assign(entry, { listed: undefined }, values, { before: undefined, changedBy: by });
      if (id !== undefined && !inUse.has(nameOf(entry.source, id))) this.directory.rename(entry, id);
    }
    this.match(by);
  }
}

const fresh = { removals: { delete: 0, disable: 0 }, isReleased: false };

function removalsOf(plan: readonly Planned[]): Removals {
  const count = (action: Planned['action']) => plan.filter((each) => each.action === action).length;
  return { delete: count('delete'), disable: count('disable') };
}

const hasRemovals = ({ removals }: Run): boolean => removals.delete + removals.disable > 0;

/** Whether a person with access is not listed by other sources, or not only as active. */
function isLastActive({ person, source }: Entry, state: State): boolean {
  const others = [...state.values()].filter(
    (entry) => entry.person === person && isUser(entry) && entry.source !== source && !isDeleted(entry),
  );
  const hasAccess = ['active', 'suspended'].includes(accessOf(state).get(person ?? 0)?.status ?? '');
  return hasAccess && (others.length === 0 || others.some(({ status }) => status !== 'active'));
}

const isNewId = (planned: Planned): boolean => isNew(planned) || planned.movedFrom !== undefined;

/** Whether a later run shows a newer state of a record of a held plan than the plan. */
function isContradicted(old: Planned, listed: readonly Planned[], waiting: readonly Planned[]): boolean {
  const now = listed.find(({ id }) => id === old.id);
  if (!now) return false;
  if (isAddition(old)) return isAddition(now) && !waiting.includes(now);
  return isAddition(now) || (old.action === 'delete' && now.action !== 'delete');
}

const sameFields = (a: Fields, b: Fields): boolean =>
  [...Object.keys(a), ...Object.keys(b)].every((field) => (a[field] ?? '') === (b[field] ?? ''));
