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
  type Operation,
  saveProgress,
  stopRunning,
  tryLockTrial,
} from '@idsync/database/directory';
import { countActivePeople, noteDue } from '@idsync/database/settings';
import { NotApplicable, runChunk } from '../batch/divide-batch.js';
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
import { beginChange, changeAll, changePart, partSize, type Requested, type TenantChange } from './tenant-change.js';
import { undoesMany, undoJob } from './undo-job.js';

const handlers: { [T in Exclude<OperationType, TenantChangeType>]: Handler<T> } = {
  'case.resolve': resolveCase,
  'identity.erase': eraseIdentity,
  'identity.merge': mergeIdentities,
  'identity.split': splitIdentity,
  'connector.hand_over': handOverRecords,
  'job.undo': undoJob,
  'plan.apply': applyPlan,
  'operation.revert': revertOperation,
  'operation.confirm': confirmOperation,
  'operation.cancel': cancelOperation,
  'finding.accept': acceptFinding,
  'finding.reopen': reopenFinding,
};

/** Operations that change all records of a tenant, in parts. */
const tenantChanges = {
  'attributes.rank': rankAttributes,
  'lifecycle.change': changeLifecycle,
  'rules.change': changeRules,
} as const;
type TenantChangeType = keyof typeof tenantChanges;

/** Operations that change many people by rules or sources, and not by their names. */
const changesMany: ReadonlySet<OperationType> = new Set([
  'attributes.rank',
  'lifecycle.change',
  'rules.change',
  'connector.hand_over',
  'job.undo',
]);

/** Maximum number of listed people whose access changes, in pages; the rest is only counted. */
const listed = 5_000;

/** Maximum time for the parts of one message; the next one continues. */
const partsMs = 30_000;
/** Changes of records since the copy of a trial; with more, it may not show all who lose access, and is made again. */
const mostMissed = 20;
const mostTrials = 3;

/**
 * Runs an operation in one transaction with its result, so that it takes effect exactly once or not at all. One by which
 * too many people lose access, or get it again, is held. Previews, and changes of all records, are first computed from a
 * copy of the directory, for which nothing waits. Changes of all records are then made in parts.
 */
export async function runOperation(
  database: Database,
  message: Message<'directory.operation.requested'>,
  fixedTime?: Date,
  trial = 1,
): Promise<void> {
  const { tenant_id: tenantId, data } = message;
  let access = new AccessTally();
  const end = async (tx: Transaction, status: OperationStatus, result: object, undo?: object) =>
    endOperation(tx, data.operation_id, { status, result, undo });
  const found = await database.transaction(tenantId, (tx) => findTrial(tx, data.operation_id));
  if (found.runningId !== undefined) return continueChange(database, tenantId, found.runningId, fixedTime);
  let runningId: string | undefined;
  try {
    const tried = found.tries && (await tryOnCopies(database, tenantId, found.tries, fixedTime));
    if (tried === 'elsewhere') return;
    access = tried?.access ?? access;
    runningId = await database.transaction(tenantId, async (tx) => {
      if (!(await markReceived(tx, message.id))) return undefined;
      const isPreviewed = tried !== undefined && found.isPreview;
      const tenant = isPreviewed ? undefined : await loadTenant(tx, tenantId, true);
      const operation = committedWith(await lockOperation(tx, tenantId, data.operation_id), 'the operation');
      if (operation.status !== 'queued') return undefined;
      if (!tenant) {
        await end(tx, 'done', { ...tried?.result, ...access.shown(listed) });
        return undefined;
      }
      if (tried && (await countChangesSince(tx, tried.sequence, mostMissed + 1)) > mostMissed) throw new Outdated();
      const cause = { ...tenant, operationId: operation.id, ...causedAt(fixedTime), access };
      if (found.isPreview) {
        const { result } = await tx.rolledBack(() => handle(tx, cause, operation));
        await end(tx, 'done', { ...result, ...access.shown(listed) });
        return undefined;
      }
      const people = changesMany.has(operation.type) ? await countActivePeople(tx, tenantId) : undefined;
      const { result, undo, progress, startedId } = await handle(tx, cause, operation);
      const reason = people === undefined ? undefined : await holding(tx, tenantId, operation, access, people);
      if (reason !== undefined) throw new Held(reason);
      const isCounted = (people !== undefined || operation.type === 'operation.confirm') && access.losses > 0;
      await noteDue(tx, tenantId);
      const shown = { ...access.shown(listed), ...(isCounted && { access_lost: access.losses }) };
      // The losses count for the safeguard of other changes from now on, also if this one is cancelled.
      const lost = isCounted && { access_lost: access.losses };
      if (progress)
        await saveProgress(tx, operation.id, {
          result: { ...result, ...lost },
          progress: { ...progress, access: shown },
        });
      else await end(tx, 'done', { ...result, ...shown }, undo);
      return progress ? operation.id : startedId;
    });
  } catch (error) {
    if (error instanceof Outdated && trial < mostTrials) return runOperation(database, message, fixedTime, trial + 1);
    const ended = endOf(error, access);
    if (!ended) throw error;
    await database.transaction(tenantId, async (tx) => {
      const operation = await lockOperation(tx, tenantId, data.operation_id);
      if (!(await markReceived(tx, message.id)) || operation?.status !== 'queued') return;
      await end(tx, ended.status, ended.result);
    });
  }
  if (runningId !== undefined) await continueChange(database, tenantId, runningId, fixedTime);
}

interface Trial {
  /** The operation that is tried on copies; absent if there is none. */
  tries?: Operation;
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
  const isLarge = tried.type in tenantChanges || (isPreview && (await undoesMany(tx, tried.input)));
  return { isPreview, ...(isLarge && { tries: tried }) };
}

interface Tried {
  result: object;
  access: AccessTally;
  /** The last event that the copies contain. */
  sequence: number;
}

/** Makes an operation on copies, and returns its result; `elsewhere` if another process does. */
async function tryOnCopies(
  database: Database,
  tenantId: string,
  operation: Operation,
  fixedTime: Date | undefined,
): Promise<Tried | 'elsewhere'> {
  return database.trial(tenantId, async (tx): Promise<Tried | 'elsewhere'> => {
    if (!(await tryLockTrial(tx, operation.id))) return 'elsewhere';
    const sequence = await lastSequence(tx);
    await copyDirectory(tx);
    const access = new AccessTally();
    const cause = { ...(await readTenant(tx, tenantId)), operationId: operation.id, ...causedAt(fixedTime), access };
    const { result } = isTenantChange(operation)
      ? { result: await changeAll(tx, cause, requestedBy(operation)) }
      : await handle(tx, cause, operation);
    return { result, access, sequence };
  });
}

function isTenantChange<O extends Operation>(operation: O): operation is O & { type: TenantChangeType } {
  return operation.type in tenantChanges;
}

function requestedBy<T extends TenantChangeType>(operation: Operation & { type: T }): Requested<T> {
  const { type } = operation;
  return { input: inputOf(operation), change: tenantChanges[type] as unknown as TenantChange<T> };
}

/** Makes the parts of a running operation. Other work of the tenant continues between them. */
async function continueChange(database: Database, tenantId: string, id: string, fixedTime?: Date): Promise<void> {
  const until = Date.now() + partsMs;
  for (let more = true; more; ) {
    more = await runChunk(database, tenantId, partSize, (tx, size) =>
      makePart(tx, id, { until, size, fixedTime }),
    ).catch(async (error) => {
      if (!(error instanceof NotApplicable || error instanceof LoadLimitExceeded)) throw error;
      await stop(database, tenantId, id, error.message);
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
  const tenant = await loadTenant(tx, tenantId, true);
  const operation = await lockOperation(tx, tenantId, id);
  if (operation?.status !== 'running' || !operation.progress || !isTenantChange(operation)) return false;
  const cause = { ...tenant, operationId: id, ...causedAt(fixedTime) };
  const { access } = operation.progress;
  const { access_lost } = operation.result as { access_lost?: number };
  const state = { result: operation.result as never, progress: operation.progress };
  const { result, progress } = await changePart(tx, cause, requestedBy(operation), state, size);
  await noteDue(tx, tenantId);
  if (!progress) {
    await endOperation(tx, id, { status: 'done', result: { ...result, ...access } });
    return false;
  }
  await saveProgress(tx, id, { result: { ...result, ...(access_lost !== undefined && { access_lost }) }, progress });
  if (Date.now() < until) return true;
  await enqueue(tx, { type: 'directory.operation.requested', tenantId, data: { operation_id: id } });
  return false;
}

/** Ends a running operation before its last part. */
async function stop(database: Database, tenantId: string, id: string, error: string): Promise<void> {
  await database.transaction(tenantId, async (tx) => {
    const operation = await lockOperation(tx, tenantId, id);
    if (operation?.status === 'running')
      await endOperation(tx, id, { status: 'cancelled', result: { ...operation.result, error } });
  });
}

/** Stops an operation that is made in parts; what it has changed stays. */
async function cancelOperation(
  tx: Transaction,
  { tenantId }: Cause,
  { operation_id: id }: OperationInput<'operation.cancel'>,
): Promise<Outcome<'operation.cancel'>> {
  const running = await lockOperation(tx, tenantId, id);
  if (!running) throw new Refused('the operation does not exist');
  if (running.status !== 'running') throw new Refused(`the operation is ${running.status}, not running`);
  await endOperation(tx, id, { status: 'cancelled', result: { ...running.result, ...running.progress?.access } });
  return { result: { cancelled_operation_id: id } };
}

/** Returns why an operation has to be held: `active` people had access before it. */
async function holding(
  tx: Transaction,
  tenantId: string,
  { id }: Operation,
  { losses: count, gains }: AccessTally,
  active: number,
): Promise<string | undefined> {
  // An operation has no source, so the losses of all sources count.
  const own = { id, connectorId: id };
  const day = count > 0 ? await lossesBefore(tx, tenantId, own, usualGuard, active) : { before: 0, of: active };
  return tooManyChanges({ ...day, count }, gains, active);
}

/** Returns how an operation ends that was rolled back; undefined if it has to be retried. */
function endOf(error: unknown, access: AccessTally): { status: OperationStatus; result: object } | undefined {
  const losses = access.shown(listed);
  if (error instanceof Held) return { status: 'held', result: { held: error.message, ...losses } };
  if (error instanceof Refused || error instanceof NotApplicable)
    return { status: 'refused', result: { error: error.message } };
  return undefined;
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
  const held = await lockOperation(tx, cause.tenantId, operation_id);
  if (!held) throw new Refused('the operation does not exist');
  if (held.status !== 'held') throw new Refused(`the operation is ${held.status}, not held`);
  if (await hasLaterOperation(tx, cause.tenantId, held))
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
    const operation = await lockOperation(tx, tenantId, data.operation_id);
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
    await stopRunning(tx, change.type);
    return beginChange(tx, cause, requestedBy(change)) as Promise<Outcome<T>>;
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
