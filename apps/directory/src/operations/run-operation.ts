import {
  type Message,
  type OperationInput,
  type OperationStatus,
  type OperationType,
  operationInputs,
  type ShownAccess,
} from '@idsync/contracts';
import type { Database, Transaction } from '@idsync/database';
import { committedWith, enqueue, markReceived } from '@idsync/database/bus';
import {
  copyDirectory,
  countChangesSince,
  endOperation,
  findOperation,
  hasLaterOperation,
  LoadLimitExceeded,
  lastSequence,
  lockOperation,
  lockRunning,
  type Operation,
  saveProgress,
  tryLockTrial,
  waitingFor,
} from '@idsync/database/directory';
import { countActivePeople, noteDue } from '@idsync/database/settings';
import { halving, NotApplicable, runChunk } from '../batch/divide-batch.js';
import { type Cause, causedAt, loadTenant, readTenant } from '../changes/cause.js';
import { AccessTally } from '../sweep/access.js';
import { tooManyChanges, usualGuard } from '../sweep/guard.js';
import { lossesBefore } from '../sweep/run-counts.js';
import { applyPlan } from './apply-plan.js';
import { changeLifecycle, changeRules, rankAttributes } from './change-settings.js';
import { acceptFinding, reopenFinding } from './decide-finding.js';
import { eraseIdentity } from './erase-identity.js';
import { handOverRecords } from './hand-over-records.js';
import { mergeIdentities, splitIdentity } from './move-records.js';
import { type Handler, Held, type Outcome, Refused } from './outcome.js';
import { resolveCase } from './resolve-case.js';
import { revertOperation } from './revert-operation.js';
import {
  beginChange,
  changeAll,
  changePart,
  type Given,
  needsParts,
  partSize,
  type Requested,
  type TenantChange,
  Waiting,
} from './tenant-change.js';
import { Trials } from './trials.js';
import { undoJob } from './undo-job.js';

const handlers: { [T in Exclude<OperationType, TenantChangeType>]: Handler<T> } = {
  'case.resolve': resolveCase,
  'identity.erase': eraseIdentity,
  'identity.merge': mergeIdentities,
  'identity.split': splitIdentity,
  'operation.revert': revertOperation,
  'operation.confirm': confirmOperation,
  'operation.cancel': cancelOperation,
  'finding.accept': acceptFinding,
  'finding.reopen': reopenFinding,
};

/** Operations that change many records of a tenant by rules or sources, and not by their names. */
const tenantChanges = {
  'attributes.rank': rankAttributes,
  'lifecycle.change': changeLifecycle,
  'rules.change': changeRules,
  'connector.hand_over': handOverRecords,
  'job.undo': undoJob,
  'plan.apply': applyPlan,
} as const;
type TenantChangeType = keyof typeof tenantChanges;

/** Maximum number of listed people whose access changes, in pages; the rest is only counted. */
const listed = 5_000;

/** Maximum time for the parts of one message; the next one continues. */
const partsMs = 30_000;
/** Changes of records since the copy of a trial; with more, it may not show all who lose access, and is made again. */
const mostMissed = 20;
const mostTrials = 3;

/**
 * Runs an operation in one transaction with its result, so that it takes effect exactly once or not at all. One by which
 * too many people lose access, or get it again, is held. Large changes, and previews of them, are first computed from a
 * copy of the directory, for which nothing waits. Large changes are then made in parts.
 */
export async function runOperation(
  database: Database,
  message: Message<'directory.operation.requested'>,
  fixedTime?: Date,
  trials = new Trials(),
): Promise<void> {
  const operation = { tenantId: message.tenant_id, id: message.data.operation_id };
  const runningId = await trials.run(database, operation, (takeTrial) =>
    beginOperation(database, message, { fixedTime, takeTrial }),
  );
  if (runningId !== undefined) await continueChange(database, message.tenant_id, runningId, fixedTime);
}

/** Returns the id of the operation that continues in parts, if any. */
async function beginOperation(
  database: Database,
  message: Message<'directory.operation.requested'>,
  given: Omit<Attempt, 'access'>,
): Promise<string | undefined> {
  for (let attempts = 1; ; attempts += 1) {
    const access = new AccessTally();
    try {
      return await tryOperation(database, message, { ...given, access });
    } catch (error) {
      if (error instanceof Outdated && attempts < mostTrials) continue;
      const ended = endOf(error, access);
      if (!ended) throw error;
      return await database.transaction(message.tenant_id, async (tx) => {
        const operation = await lockOperation(tx, message.data.operation_id);
        if ((await markReceived(tx, message.id)) && operation?.status === 'queued')
          await endOperation(tx, operation.id, ended);
        return undefined;
      });
    }
  }
}

interface Attempt {
  /** Counts the people whose access changes. */
  access: AccessTally;
  fixedTime: Date | undefined;
  /** Returns whether this process can make a trial now. */
  takeTrial: () => boolean;
}

async function tryOperation(
  database: Database,
  message: Message<'directory.operation.requested'>,
  attempt: Attempt,
): Promise<string | undefined> {
  const { access, fixedTime } = attempt;
  const { tenant_id: tenantId, data } = message;
  const found = await database.transaction(tenantId, (tx) => findTrial(tx, data.operation_id));
  if (found.runningId !== undefined) return found.runningId;
  const tried = found.tries && (await tryOnCopies(database, tenantId, found.tries, attempt));
  if (tried === 'elsewhere') return undefined;
  return database.transaction(tenantId, async (tx) => {
    if (!(await markReceived(tx, message.id))) return undefined;
    const isPreviewed = tried !== undefined && found.isPreview;
    const tenant = isPreviewed ? undefined : await loadTenant(tx, true);
    const operation = committedWith(await lockOperation(tx, data.operation_id), 'the operation');
    if (operation.status !== 'queued') return undefined;
    const end = (result: object, undo?: object) =>
      endOperation(tx, operation.id, { status: 'done', result: { ...result, ...access.shown(listed) }, undo });
    if (!tenant) {
      await end(tried?.result ?? {});
      return undefined;
    }
    const canBeHeld = operation.type !== 'plan.apply' && isTenantChange(operation);
    const confirms = operation.type === 'operation.confirm';
    if (tried && (canBeHeld || confirms) && (await countChangesSince(tx, tried.sequence, mostMissed + 1)) > mostMissed)
      throw new Outdated();
    const cause = { ...tenant, operationId: operation.id, ...causedAt(fixedTime), access };
    const people = canBeHeld ? await countActivePeople(tx) : undefined;
    const make = () => handle(tx, cause, operation);
    const outcome = await (found.isPreview ? tx.rolledBack(make) : make());
    const { result, undo, progress, startedId } = outcome;
    // It has become too large for one transaction since.
    if (!tried && (progress ?? startedId) !== undefined) throw new Outdated();
    if (found.isPreview) {
      await end(result);
      return undefined;
    }
    const reason = people === undefined ? undefined : await holding(tx, operation, access, people);
    if (reason !== undefined) throw new Held(reason);
    await noteDue(tx);
    // The losses count for the safeguard of other changes from now on, also if this one is cancelled.
    const lost = (canBeHeld || confirms) && access.losses > 0 && { access_lost: access.losses };
    if (!progress) {
      await end({ ...result, ...lost }, undo);
      return startedId;
    }
    const shown = { ...access.shown(listed), ...lost };
    await saveProgress(tx, operation.id, { result: { ...result, ...lost }, progress: { ...progress, access: shown } });
    return operation.id;
  });
}

interface Trial {
  /** The operation that is tried on copies; absent if there is none. */
  tries?: Change;
  isPreview: boolean;
  /** The operation, if it is running already. */
  runningId?: string;
}

/** Thrown if records have changed since a trial. */
class Outdated extends Refused {
  constructor() {
    super('records change while it is computed who loses access: request it again when no run is in progress');
  }
}

async function findTrial(tx: Transaction, id: string): Promise<Trial> {
  const operation = committedWith(await findOperation(tx, id), 'the operation');
  if (operation.status === 'running') return { runningId: id, isPreview: false };
  if (operation.status !== 'queued') return { isPreview: false };
  const { preview: isPreview = false, operation_id: heldId } = operation.input as {
    preview?: boolean;
    operation_id?: string;
  };
  const held = operation.type === 'operation.confirm' && heldId ? await findOperation(tx, heldId) : undefined;
  const tried = held?.status === 'held' ? held : operation;
  if (!isTenantChange(tried) || !(await needsParts(tx, requestedBy(tried)))) return { isPreview };
  const { change, input } = requestedBy(tried);
  // A refusal must not cost a trial. Those of settings have none here, and their writes would be undone.
  if (!change.isOfSettings) {
    const cause = { ...(await readTenant(tx)), operationId: tried.id, ...causedAt(undefined) };
    await tx.rolledBack(() => change.begin(tx, cause, input));
  }
  return { isPreview, tries: tried };
}

interface Tried {
  result: object;
  /** The last event that the copies contain. */
  sequence: number;
}

/** Makes a change on copies, and returns its result; `elsewhere` if another process does, or this one later. */
async function tryOnCopies(
  database: Database,
  tenantId: string,
  operation: Change,
  { access, fixedTime, takeTrial }: Attempt,
): Promise<Tried | 'elsewhere'> {
  if (!takeTrial()) return 'elsewhere';
  const tryIt = async (tx: Transaction, size: number): Promise<Tried | 'elsewhere'> => {
    if (!(await tryLockTrial(tx, operation.id))) return 'elsewhere';
    const sequence = await lastSequence(tx);
    await copyDirectory(tx);
    access.clear();
    const cause = { ...(await readTenant(tx)), operationId: operation.id, ...causedAt(fixedTime), access };
    const { change, input } = requestedBy(operation);
    const result = await changeAll(tx, cause, { change, input: { ...input, preview: true } }, size);
    return { result, sequence };
  };
  return halving(partSize, (size) => database.trial(tenantId, (tx) => tryIt(tx, size)));
}

type Change = Operation & { type: TenantChangeType };

function isTenantChange(operation: Operation): operation is Change {
  return operation.type in tenantChanges;
}

function requestedBy<T extends TenantChangeType>(operation: Operation & { type: T }): Requested<T> {
  const { type } = operation;
  return { input: inputOf(operation) as Given<T>, change: tenantChanges[type] as unknown as TenantChange<T> };
}

/** Makes the parts of a running operation. Other work of the tenant continues between them. */
async function continueChange(database: Database, tenantId: string, id: string, fixedTime?: Date): Promise<void> {
  const until = Date.now() + partsMs;
  for (let more = true; more; ) {
    more = await runChunk(database, tenantId, partSize, (tx, size) =>
      makePart(tx, id, { until, size, fixedTime }),
    ).catch(async (error) => {
      if (!isRefusal(error)) throw error;
      await stop(database, tenantId, id, error);
      return false;
    });
  }
}

/** Returns whether there are more parts for this process to make. */
async function makePart(
  tx: Transaction,
  id: string,
  { until, size, fixedTime }: { until: number; size: number; fixedTime: Date | undefined },
): Promise<boolean> {
  const { tenantId } = tx;
  const tenant = await loadTenant(tx, true);
  const operation = await lockOperation(tx, id);
  if (operation?.status !== 'running' || !operation.progress || !isTenantChange(operation)) return false;
  const cause = { ...tenant, operationId: id, ...causedAt(fixedTime) };
  const { access } = operation.progress;
  const { access_lost, [waitingFor]: _, ...made } = operation.result as { access_lost?: number; [waitingFor]?: string };
  const state = { result: made as never, progress: operation.progress };
  const { result, progress } = await changePart(tx, cause, requestedBy(operation), state, size);
  await noteDue(tx);
  if (!progress) {
    await endOperation(tx, id, { status: 'done', result: { ...result, ...access } });
    return false;
  }
  await saveProgress(tx, id, { result: { ...result, ...(access_lost !== undefined && { access_lost }) }, progress });
  if (Date.now() < until) return true;
  await enqueue(tx, { type: 'directory.operation.requested', tenantId, data: { operation_id: id } });
  return false;
}

/** Ends a running operation before its last part, or notes what the next part waits for. */
async function stop(database: Database, tenantId: string, id: string, error: Error): Promise<void> {
  await database.transaction(tenantId, async (tx) => {
    const operation = await lockOperation(tx, id);
    if (operation?.status !== 'running' || !operation.progress) return;
    const { result, progress } = operation;
    if (error instanceof Waiting)
      await saveProgress(tx, id, { progress, result: { ...result, [waitingFor]: error.message } });
    else await endEarly(tx, operation, { error: error.message });
  });
}

/** Stops an operation that is made in parts; what it has changed stays. */
async function cancelOperation(
  tx: Transaction,
  _: Cause,
  { operation_id: id }: OperationInput<'operation.cancel'>,
): Promise<Outcome<'operation.cancel'>> {
  const running = await lockOperation(tx, id);
  if (!running) throw new Refused('the operation does not exist');
  if (running.status !== 'running') throw new Refused(`the operation is ${running.status}, not running`);
  await endEarly(tx, running);
  return { result: { cancelled_operation_id: id, ...noteOf(running) } };
}

/** Cancels a running operation. Its result shows how many records it has not changed. */
async function endEarly(tx: Transaction, operation: Operation, more: object = {}): Promise<void> {
  const { id, result, progress } = operation;
  const { done = 0, total = 0, access } = progress ?? {};
  const { [waitingFor]: _, ...made } = result ?? {};
  const records_left = Math.max(0, total - done);
  const shown = { ...made, ...access, records_left, ...noteOf(operation), ...more };
  await endOperation(tx, id, { status: 'cancelled', result: shown });
}

/** Returns what an operator has to know about an operation that was cancelled. */
function noteOf(operation: Operation): { note?: string } {
  const { unfinished: note } = isTenantChange(operation) ? requestedBy(operation).change : {};
  return note === undefined ? {} : { note };
}

/** Returns why an operation has to be held: `active` people had access before it. */
async function holding(
  tx: Transaction,
  { id }: Operation,
  { losses: count, gains }: AccessTally,
  active: number,
): Promise<string | undefined> {
  // An operation has no source, so the losses of all sources count.
  const own = { id, connectorId: id };
  const day = count > 0 ? await lossesBefore(tx, own, usualGuard, active) : { before: 0, of: active };
  return tooManyChanges({ ...day, count }, gains, active);
}

/** Returns how an operation ends that was rolled back; undefined if it has to be retried. */
function endOf(error: unknown, access: AccessTally): { status: OperationStatus; result: object } | undefined {
  const losses = access.shown(listed);
  if (error instanceof Held) return { status: 'held', result: { held: error.message, ...losses } };
  return isRefusal(error) ? { status: 'refused', result: { error: error.message } } : undefined;
}

/** Returns true for an error by which an operation ends, because a retry would fail again. */
function isRefusal(error: unknown): error is Error {
  return [Refused, NotApplicable, LoadLimitExceeded].some((kind) => error instanceof kind);
}

/**
 * Performs a held operation with its result. Refuses it if people would lose or get access who were not shown, or if it would
 * replace a later one of its kind.
 */
async function confirmOperation(
  tx: Transaction,
  cause: Cause,
  { operation_id }: OperationInput<'operation.confirm'>,
): Promise<Outcome<'operation.confirm'>> {
  const held = await lockOperation(tx, operation_id);
  if (!held) throw new Refused('the operation does not exist');
  if (held.status !== 'held') throw new Refused(`the operation is ${held.status}, not held`);
  if (await hasLaterOperation(tx, held))
    throw new Refused('a later operation of this kind has been performed: request this one again');
  const { access = new AccessTally() } = cause;
  const { result, undo, progress } = await handle(tx, { ...cause, operationId: held.id, access }, held);
  const shown = held.result as unknown as ShownAccess;
  const unlisted = shown.access_changes_total - shown.access_changes.length;
  const others = access.beyond(shown) - unlisted;
  if (others > 0)
    throw new Refused(`the access of other people would change now (${others}): request the change again`);
  const confirmed = { result: { confirmed_operation_id: held.id } };
  if (!progress) {
    await endOperation(tx, held.id, { status: 'done', result, ...(undo && { undo }) });
    return confirmed;
  }
  await saveProgress(tx, held.id, { result, progress });
  return { ...confirmed, startedId: held.id };
}

/**
 * Refuses an operation whose message was dead-lettered, because it will not be retried. One that is made in parts continues
 * when its message is sent again, because half of the records have the former settings.
 */
export async function giveUpOperation(
  database: Database,
  { tenant_id: tenantId, data }: Message<'directory.operation.requested'>,
): Promise<void> {
  await database.transaction(tenantId, async (tx) => {
    const operation = await lockOperation(tx, data.operation_id);
    if (operation?.status !== 'queued') return;
    const error = 'the operation failed and changed nothing; see the log of the directory';
    await endOperation(tx, operation.id, { status: 'refused', result: { error } });
  });
}

async function handle<T extends OperationType>(
  tx: Transaction,
  cause: Cause,
  operation: Operation & { type: T },
): Promise<Outcome<T>> {
  const change: Operation = operation;
  if (isTenantChange(change)) {
    const requested = requestedBy(change);
    if (requested.change.isOfSettings)
      for (const running of await lockRunning(tx, change.type)) await endEarly(tx, running);
    if (await needsParts(tx, requested)) return beginChange(tx, cause, requested) as Promise<Outcome<T>>;
    const make = (size: number) => {
      cause.access?.clear();
      return tx.attempt(() => changeAll(tx, cause, requested, size));
    };
    return { result: await halving(partSize, make) } as Outcome<T>;
  }
  const handler = handlers[operation.type as keyof typeof handlers] as unknown as Handler<T>;
  return handler(tx, cause, inputOf(operation));
}

/** Validates the input again, because an older gateway may have stored it. */
function inputOf<T extends OperationType>({ type, input }: Operation & { type: T }): OperationInput<T> {
  const parsed = operationInputs[type].safeParse(input);
  if (!parsed.success) throw new Refused(`malformed input: ${parsed.error.message}`);
  return parsed.data as OperationInput<T>;
}
