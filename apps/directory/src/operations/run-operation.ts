import {
  type Message,
  type OperationInput,
  type OperationStatus,
  type OperationType,
  operationInputs,
  type ShownAccess,
} from '@idsync/contracts';
import type { Database, Transaction } from '@idsync/database';
import { markReceived } from '@idsync/database/bus';
import {
  copyDirectory,
  endOperation,
  findOperation,
  hasLaterOperation,
  lockOperation,
  type Operation,
  tryLockPreview,
} from '@idsync/database/directory';
import { countActivePeople, noteDue } from '@idsync/database/settings';
import { NotApplicable } from '../batch/divide-batch.js';
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
import { undoesMany, undoJob } from './undo-job.js';

const handlers: { [T in OperationType]: Handler<T> } = {
  'case.resolve': resolveCase,
  'identity.erase': eraseIdentity,
  'identity.merge': mergeIdentities,
  'identity.split': splitIdentity,
  'attributes.rank': rankAttributes,
  'connector.hand_over': handOverRecords,
  'job.undo': undoJob,
  'plan.apply': applyPlan,
  'operation.revert': revertOperation,
  'operation.confirm': confirmOperation,
  'lifecycle.change': changeLifecycle,
  'rules.change': changeRules,
  'finding.accept': acceptFinding,
  'finding.reopen': reopenFinding,
};

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

/**
 * Runs an operation in one transaction with its result, so that it takes effect exactly once or not at all. One by which
 * too many people lose access, or get it again, is held. A preview of many changes is computed before that, from a copy of
 * the directory, so that nothing waits for it.
 */
export async function runOperation(
  database: Database,
  message: Message<'directory.operation.requested'>,
  fixedTime?: Date,
): Promise<void> {
  const { tenant_id: tenantId, data } = message;
  const access = new AccessTally();
  const end = async (tx: Transaction, status: OperationStatus, result: object, undo?: object) =>
    endOperation(tx, data.operation_id, { status, result, undo });
  try {
    const requested = await database.transaction(tenantId, (tx) => findLargePreview(tx, data.operation_id));
    const previewed = requested && (await previewOnCopies(database, tenantId, requested, { fixedTime, access }));
    if (previewed === 'elsewhere') return;
    await database.transaction(tenantId, async (tx) => {
      if (!(await markReceived(tx, message.id))) return;
      const tenant = previewed ? undefined : await loadTenant(tx, tenantId, true);
      const operation = await lockOperation(tx, tenantId, data.operation_id);
      if (operation?.status !== 'queued') return;
      if (!tenant) return end(tx, 'done', { ...previewed, ...access.shown(listed) });
      const cause = { ...tenant, operationId: operation.id, ...causedAt(fixedTime), access };
      if (isPreview(operation)) {
        const { result } = await tx.rolledBack(() => handle(tx, cause, operation));
        return end(tx, 'done', { ...result, ...access.shown(listed) });
      }
      const people = changesMany.has(operation.type) ? await countActivePeople(tx, tenantId) : undefined;
      const { result, undo } = await handle(tx, cause, operation);
      const reason = people === undefined ? undefined : await holding(tx, tenantId, operation, access, people);
      if (reason !== undefined) throw new Held(reason);
      const isCounted = (people !== undefined || operation.type === 'operation.confirm') && access.losses > 0;
      await noteDue(tx, tenantId);
      const shown = { ...access.shown(listed), ...(isCounted && { access_lost: access.losses }) };
      await end(tx, 'done', { ...result, ...shown }, undo);
    });
  } catch (error) {
    const ended = endOf(error, access);
    if (!ended) throw error;
    await database.transaction(tenantId, async (tx) => {
      const operation = await lockOperation(tx, tenantId, data.operation_id);
      if (!(await markReceived(tx, message.id)) || operation?.status !== 'queued') return;
      await end(tx, ended.status, ended.result);
    });
  }
}

function isPreview({ input }: Operation): boolean {
  return (input as { preview?: boolean }).preview === true;
}

/** Returns the operation if it is a preview that may change more than a chunk. */
async function findLargePreview(tx: Transaction, id: string): Promise<Operation | undefined> {
  const operation = await findOperation(tx, id);
  if (operation?.status !== 'queued' || !isPreview(operation)) return undefined;
  return operation.type !== 'job.undo' || (await undoesMany(tx, operation.input)) ? operation : undefined;
}

/** Returns the result of a preview, which changes nothing but copies; `elsewhere` if another process computes it. */
async function previewOnCopies(
  database: Database,
  tenantId: string,
  operation: Operation,
  { fixedTime, access }: { fixedTime: Date | undefined; access: AccessTally },
): Promise<object | 'elsewhere'> {
  return database.trial(tenantId, async (tx) => {
    if (!(await tryLockPreview(tx, operation.id))) return 'elsewhere';
    await copyDirectory(tx, { withKeys: operation.type !== 'rules.change' });
    const cause = { ...(await readTenant(tx, tenantId)), operationId: operation.id, ...causedAt(fixedTime), access };
    return (await handle(tx, cause, operation)).result;
  });
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
  const { result, undo } = await handle(tx, { ...cause, operationId: held.id, access }, held);
  const shown = held.result as unknown as ShownAccess;
  const unlisted = shown.access_changes_total - shown.access_changes.length;
  const others = access.beyond(shown) - unlisted;
  if (others > 0)
    throw new Refused(`the access of other people would change now (${others}): request the change again`);
  await endOperation(tx, held.id, { status: 'done', result, ...(undo && { undo }) });
  return { result: { confirmed_operation_id: held.id } };
}

/** Refuses an operation whose message was dead-lettered, because it will not be retried. */
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

/** Validates the input again, because an older gateway may have stored it. */
function handle<T extends OperationType>(
  tx: Transaction,
  cause: Cause,
  operation: Operation & { type: T },
): Promise<Outcome<T>> {
  const input = operationInputs[operation.type].safeParse(operation.input);
  if (!input.success) throw new Refused(`malformed input: ${input.error.message}`);
  const handler = handlers[operation.type] as Handler<T>;
  return handler(tx, cause, input.data as OperationInput<T>);
}
