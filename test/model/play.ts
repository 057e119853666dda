// Plays a history on a new tenant and on the model, and compares both after every round.
import { encodeId, type OperationInput, type OperationStatus, type OperationType } from '@idsync/contracts';
import { seededRandom } from '../support/seeded-random.js';
import type { RunOptions } from '../support/whole-sync.js';
import { Cases } from './cases.js';
import { at, sources as initialSources, replacementOf, reportsChanges, SourceContent } from './company.js';
import { difference, linesOfInstallation, linesOfModel } from './compare.js';
import { handOver } from './connectors.js';
import { Directory } from './directory.js';
import { Erasures } from './erasures.js';
import type { Installation, Tenant } from './installation.js';
import { statusOf } from './lifecycle.js';
import { Operations } from './operations.js';
import { ContentReader } from './reading.js';
import { accessOf, gainersBetween, losersBetween, peopleWithAccess, type State, stateOf } from './rehearse.js';
import { Replay } from './replay.js';
import { type Run, Runs } from './runs.js';
import type { Act, Step } from './steps.js';
import { livingOf } from './sweep.js';
import { type Bound, type Entry, type Fields, nameOf, type Source } from './types.js';

type ActOf<Kind extends Act['kind']> = Act & { kind: Kind };

export interface Difference {
  /** The number of the round, from 0. */
  round: number;
  lines: string[];
}

/** How many people may lose access by a change, or get it, without a confirmation. */
const boundOfChanges: Bound = { percent: 10, records: 20 };

export async function play(installation: Installation, steps: readonly Step[]): Promise<Difference | undefined> {
  const history = new History(await installation.tenant(initialSources));
  for (const [round, step] of steps.entries()) {
    const lines = await history.round(round, step).catch((error: Error) => [String(error.stack)]);
    if (lines.length > 0) return { round, lines: [...lines, ...history.records()] };
  }
  return undefined;
}

class History {
  private readonly sources = initialSources.map((source) => ({ ...source }));
  private readonly directory = new Directory(this.sources, new Date().toISOString().slice(0, 10));
  private readonly cases = new Cases();
  private readonly erasures = new Erasures();
  private readonly runs = new Runs(this.directory, this.cases, this.erasures);
  private readonly operations = new Operations(this.directory, this.runs, this.cases, this.erasures);
  private readonly replay = new Replay();
  private readonly contents: SourceContent[];
  /** The jobs of the runs, and the ids of the operations, in the order of those of the model. */
  private readonly jobs: string[] = [];
  private readonly operated: string[] = [];
  private readonly retiring: Run[] = [];
  private lastOperation = '';
  /** The connectors that were deleted, each with the content that another one reads now. */
  private readonly deleted: { source: Source; content: SourceContent }[] = [];

  constructor(private readonly tenant: Tenant) {
    let ids = 0;
    const nextId = () => {
      ids += 1;
      return String(ids);
    };
    this.contents = this.sources.map((source) => new SourceContent(source, nextId));
  }

  /** Plays a step and returns the differences. */
  async round(nth: number, { edits, act }: Step): Promise<string[]> {
    for (const edit of edits) at(this.contents, edit.source)?.edit(edit);
    const lines = await this.act(nth, act);
    await this.tenant.evaluate();
    const shown = await this.tenant.shown();
    const broken = this.replay.take(await this.tenant.eventsAfter(this.replay.last));
    const { leavers } = this.replay;
    const left = shown.records.filter(({ person }) => person && leavers.has(encodeId('identity', person)));
    const names = new Set(left.map(({ name }) => name));
    return [
      ...lines,
      ...broken,
      ...this.replay.differences(shown.identities),
      ...difference(linesOfModel(this.directory, this.cases, names), linesOfInstallation(shown, this.directory)),
      ...(await this.tenant.faults()),
    ];
  }

  /** The records of the model, for the report of a failure. */
  records(): string[] {
    return [...this.directory.entries.values()].map(({ name, status, person, manual, fields }) => {
      const values = Object.entries(fields).flatMap(([field, value]) => (value ? [`${field}=${value}`] : []));
      return `  ${name} ${status} of person ${person}${manual ? ' (manual)' : ''}: ${values.join(' ')}`;
    });
  }

  private act(nth: number, act: Act): Promise<string[]> {
    if (act.kind === 'run') return this.run(nth, act);
    if (act.kind === 'decide') return this.decide(act);
    if (act.kind === 'undo') return this.undo(nth, act);
    if (act.kind === 'rank') return this.rank(act);
    if (act.kind === 'merge') return this.merge(nth, act);
    if (act.kind === 'split') return this.split(nth, act);
    if (act.kind === 'replace') return this.replace(nth, act);
    if (act.kind === 'dispose') return this.dispose(nth, act);
    if (act.kind === 'erase') return this.erase(nth, act);
    if (act.kind === 'revert') return this.revert(nth, act);
    return this.resolve(nth, act);
  }

  private async run(nth: number, act: ActOf<'run'>): Promise<string[]> {
    const content = at(this.contents, act.source);
    if (!content) return [];
    const { source } = content;
    const reader = new ContentReader(content, act, reportsChanges(source));
    const job = await this.tenant.run(source, reader, {
      ...optionsOf(act.order),
      mode: act.mode,
      pageSize: act.pageSize,
      dryRun: act.isDry,
    });
    content.afterRead();
    const since = act.mode === 'full' ? undefined : this.runs.checkpoints.get(source);
    const lines = reader.since === since ? [] : [`model: reads since ${since}; idsync: since ${reader.since}`];
    if (act.isDry) return lines;
    const created = (await this.tenant.shown()).records.map(({ name }) => name);
    const isUnstored = (name: string) => !created.includes(name);
    const before = stateOf(this.directory);
    const lost = this.runs.lostToday(source);
    // A run beside a held one drops its plan, in which the same rows waited.
    const held = this.runs.heldOf(source);
    const access = await this.tenant.setAsideForAccess([job.id, ...(held ? [this.jobOf(held)] : [])]);
    const reading = reader.reading();
    // Its own new rows that give or take access are in no plan then, and not stored.
    const unplanned = held
      ? reading.rows.filter(({ id }) => isUnstored(nameOf(source, id)) && !access.aside.has(id))
      : [];
    const isGiving = ({ fields }: { fields: Fields }) => statusOf(source, fields, this.directory.today) === 'active';
    const given = new Set([...access.given, ...idsOf(unplanned.filter(isGiving))]);
    const aside = new Set([...access.aside, ...idsOf(unplanned.filter((row) => !isGiving(row)))]);
    const run = this.runs.run(nth, source, reading, { created, aside, given });
    this.jobs[this.runs.all.indexOf(run)] = job.id;
    // A row that stands on two pages is an error of its job.
    const isSame = run.status === job.status.replace('_with_errors', '');
    if (!isSame) lines.push(`model: run ${run.status}; idsync: ${job.status}`);
    return [...lines, ...this.beyondSafeguard(before, source, reader), ...this.beyondDay(before, source, lost)];
  }

  /** No run takes access from more people than its source may delete and disable records without a decision. */
  private beyondSafeguard(before: State, source: Source, reader: ContentReader): string[] {
    const losing = losersBetween(accessOf(before), stateOf(this.directory));
    const of = Math.max(livingOf(before.values(), source).length, reader.reading().rows.length);
    const allowed = mostOf(source.safeguard.deleted, of) + mostOf(source.safeguard.disabled, of);
    return losing.length > allowed
      ? [`the run takes access from ${losing.length} people, at most ${allowed} may lose it`]
      : [];
  }

  /** No run takes access from more people than all runs of a day may without a decision; who is yet to begin has none. */
  private beyondDay(before: State, { kind, safeguard }: Source, lost: number): string[] {
    const after = stateOf(this.directory);
    const was = accessOf(before);
    const hadAccess = (person: number) => ['active', 'suspended'].includes(was.get(person)?.status ?? '');
    const losing = losersBetween(was, after).filter(hadAccess).length;
    const most = Math.max(peopleWithAccess(before), peopleWithAccess(after) + losing);
    const isCounted = kind === 'user' && safeguard.countsTheDay && losing > 0 && lost > 0;
    return isCounted && lost + losing > mostOf(safeguard.disabled, lost + most)
      ? [`the run takes access from ${losing} people after ${lost} on the same day, of ${most}`]
      : [];
  }

  private async decide({ run: which, release, order }: ActOf<'decide'>): Promise<string[]> {
    const run = at(this.runs.held(), which);
    if (!run) return [];
    const job = this.jobOf(run);
    if (release) {
      await this.tenant.sync.release(this.tenant.id, job, optionsOf(order));
      this.runs.release(
        run,
        (await this.tenant.records()).map(({ name }) => name),
      );
    } else {
      await this.tenant.sync.cancel(this.tenant.id, job, optionsOf(order));
      this.runs.cancel(run);
    }
    return [];
  }

  private async undo(nth: number, { run: which, order }: ActOf<'undo'>): Promise<string[]> {
    const run = at(this.runs.all, which);
    if (!run) return [];
    const input = { job_id: this.jobOf(run), preview: false };
    if (run.status === 'quarantined') return this.operate('job.undo', input, order, 'refused');
    return this.change('job.undo', input, order, () => {
      this.runs.undo(nth, run);
      return true;
    });
  }

  private priorities(): number[] {
    return [...this.contents, ...this.deleted].map((each) => each.source.priority);
  }

  private async rank({ source: which, priority, order }: ActOf<'rank'>): Promise<string[]> {
    const source = at(this.contents, which)?.source;
    if (!source || this.priorities().includes(priority)) return [];
    const connector = { id: this.tenant.connectorOf(source), priority };
    return this.change('attributes.rank', { connector }, order, () => {
      source.priority = priority;
      this.directory.noteStatuses({ isDecision: true });
      return true;
    });
  }

  /** A change of many people is held if too many of them would lose access, and then confirmed. `apply`: false if refused. */
  private async change<T extends OperationType>(
    type: T,
    input: OperationInput<T>,
    order: number,
    apply: () => boolean,
  ): Promise<string[]> {
    const before = stateOf(this.directory);
    const was = accessOf(before);
    if (!apply()) return this.operate(type, input, order, 'refused');
    const after = stateOf(this.directory);
    const losing = losersBetween(was, after).length;
    const isGain = (from: string, to: string) => to === 'active' && from !== 'active';
    const gaining = gainersBetween(was, after, isGain).length;
    const act = {};
    const lost = losing > 0 ? this.runs.lostToday(act) : 0;
    const people = peopleWithAccess(before);
    const isTooMany =
      losing + lost > mostOf(boundOfChanges, lost > 0 ? Math.min(lost + people, was.size) : people) ||
      gaining > mostOf(boundOfChanges, people);
    this.runs.noteLosses(act, was, isTooMany);
    if (!isTooMany) return this.operate(type, input, order, 'done');
    const lines = await this.operate(type, input, order, 'held', losing + gaining);
    if (lines.length > 0) return lines;
    return this.operate('operation.confirm', { operation_id: this.lastOperation }, order, 'done');
  }

  private async merge(nth: number, { into, from, order }: ActOf<'merge'>): Promise<string[]> {
    const [one, other] = [at(this.directory.people(), into)?.[0], at(this.directory.people(), from)?.[0]];
    if (one?.person === undefined || other?.person === undefined || one.person === other.person) return [];
    const [intoId, fromId] = [await this.identityOf(one), await this.identityOf(other)];
    this.operations.merge(nth, one.person, other.person);
    return this.operateReversibly('identity.merge', { into_id: intoId, from_ids: [fromId] }, order);
  }

  private async split(nth: number, { person, records, order }: ActOf<'split'>): Promise<string[]> {
    const several = at(
      this.directory.people().filter((entries) => entries.length > 1),
      person,
    );
    const [stays, ...others] = several ?? [];
    if (stays?.person === undefined) return [];
    const some = others.filter((_, bit) => (records >> bit) % 2 === 0);
    const leaving = some.length > 0 ? some : others;
    const input = { identity_id: await this.identityOf(stays), record_ids: await this.idsOf(leaving) };
    this.operations.split(nth, stays.person, leaving);
    return this.operateReversibly('identity.split', input, order);
  }

  private async replace(nth: number, { source: which, records, order }: ActOf<'replace'>): Promise<string[]> {
    const content = at(this.contents, which);
    if (!content) return [];
    const { source } = content;
    content.source = replacementOf(source, this.priorities());
    await this.tenant.remove(source);
    await this.tenant.add(content.source);
    this.deleted.push({ source, content });
    return records === 'keep' ? [] : this.clear(nth, { source, content }, records, order);
  }

  private async dispose(nth: number, { source: which, records, order }: ActOf<'dispose'>): Promise<string[]> {
    const one = at(this.deleted, which);
    return one ? this.clear(nth, one, records, order) : [];
  }

  private async clear(
    nth: number,
    { source, content }: { source: Source; content: SourceContent },
    records: 'retire' | 'hand over',
    order: number,
  ): Promise<string[]> {
    if (records === 'hand over') {
      const [from_id, to_id] = [this.tenant.connectorOf(source), this.tenant.connectorOf(content.source)];
      const move = () => handOver(this.directory, this.runs, nth, source, content.source);
      return this.change('connector.hand_over', { from_id, to_id }, order, move);
    }
    // A second request returns the job of the first one.
    if (this.retiring.some((run) => run.source === source && run.status === 'quarantined')) return [];
    const reader = new ContentReader(content, { kills: [], failsAt: undefined }, false);
    const job = await this.tenant.run(source, reader, { ...optionsOf(order), mode: 'full', retires: true });
    const created = (await this.tenant.records()).map(({ name }) => name);
    const run = this.runs.retire(nth, source, created);
    this.retiring.push(run);
    this.jobs[this.runs.all.indexOf(run)] = job.id;
    return run.status === job.status ? [] : [`model: retirement ${run.status}; idsync: ${job.status}`];
  }

  private async erase(nth: number, { person: which, order }: ActOf<'erase'>): Promise<string[]> {
    const [member] = at(this.directory.people(), which) ?? [];
    if (member?.person === undefined) return [];
    const identity_id = await this.identityOf(member);
    const suppress = await this.tenant.suppressionOf(identity_id);
    this.operations.erase(nth, member.person);
    return this.operate('identity.erase', { identity_id, suppress }, order, 'done');
  }

  private async resolve(nth: number, { review: which, how, candidate, order }: ActOf<'resolve'>): Promise<string[]> {
    const review = at(this.cases.open(), which);
    const person = review && at(review.candidates, candidate);
    const [member] = person === undefined ? [] : this.directory.of(person);
    if (!review || person === undefined || !member) return [];
    const shown = await this.tenant.shown();
    const [recordId] = await this.idsOf([review.entry]);
    const case_id = shown.cases.find(({ record_id }) => record_id === recordId)?.id ?? '';
    const link = how === 'link' && { identity_id: await this.identityOf(member) };
    this.operations.resolve(nth, review, how, person);
    return this.operateReversibly('case.resolve', { case_id, resolution: how, ...link }, order);
  }

  private async revert(nth: number, { operation: which, order }: ActOf<'revert'>): Promise<string[]> {
    const operation = at(this.operations.all, which);
    if (!operation) return [];
    const isDone = this.operations.revert(nth, operation);
    const operation_id = this.operated[this.operations.all.indexOf(operation)] ?? '';
    return this.operate('operation.revert', { operation_id }, order, isDone ? 'done' : 'refused');
  }

  private async operateReversibly<T extends OperationType>(type: T, input: OperationInput<T>, order: number) {
    const lines = await this.operate(type, input, order, 'done');
    this.operated[this.operations.all.length - 1] = this.lastOperation;
    return lines;
  }

  private async operate<T extends OperationType>(
    type: T,
    input: OperationInput<T>,
    order: number,
    expected: OperationStatus,
    changing?: number,
  ): Promise<string[]> {
    const { id, status, result } = await this.tenant.operate(type, input, optionsOf(order));
    this.lastOperation = id;
    const isSame = status === expected && (status !== 'held' || result.access_changes_total === changing);
    return isSame ? [] : [`model: ${type} ${expected} ${changing ?? ''}; idsync: ${status} ${JSON.stringify(result)}`];
  }

  private jobOf(run: Run): string {
    return this.jobs[this.runs.all.indexOf(run)] ?? '';
  }

  private async idsOf(entries: readonly Entry[]): Promise<string[]> {
    const { records } = await this.tenant.shown();
    return entries.flatMap((entry) => records.find(({ name }) => name === entry.name)?.id ?? []);
  }

  private async identityOf(entry: Entry): Promise<string> {
    const { records } = await this.tenant.shown();
    return records.find(({ name }) => name === entry.name)?.person ?? '';
  }
}

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

function mostOf({ percent, records }: Bound, of: number): number {
  const partOf = (share: number) => Math.floor((of * share) / 100);
  return Math.min(Math.max(records, partOf(percent)), Math.max(5, partOf(Math.max(percent, 25))));
}

/** Messages are delivered in this order, some twice, and some to a process that is killed. */
function optionsOf(order: number): RunOptions {
  const random = seededRandom(order);
  return {
    matching: true,
    choose: () => Math.floor(random() * 1_000),
    kill: () => (random() < 0.1 ? Math.floor(random() * 30) : undefined),
  };
}
