import type { OperationStatus, responses } from '@idsync/contracts';
import { WaitsForDecision } from './cli-error.js';
import type { Column } from './printer.js';
import type { Session } from './session.js';

/** Help text of every command that prints an operation. */
export const operationExitCodes = `
Exit codes:
  0  done
  4  not done yet: the directory is busy or not running, or it changes the access of many; see "idsync operations show"
  1  refused or cancelled, or the outcome is unknown`;

/** 0 done, 4 not done yet, 1 refused or cancelled. */
function exitCodeOf(status: OperationStatus): number {
  if (status === 'done') return 0;
  return status === 'refused' || status === 'cancelled' ? 1 : 4;
}

/** Throws if a response names an operation that is held, so that the change has not been made. */
export async function requireNotHeld(session: Session, reply: unknown): Promise<void> {
  const { operation_id: id, status } = (reply ?? {}) as Partial<responses.Operation>;
  if (id === undefined || status === 'done') return;
  const operation = await session.client.call('GET /operations/{operationId}', id);
  if (operation.status === 'held') throw new WaitsForDecision(heldNote(operation));
}

function heldNote({ operation_id: id, result }: responses.Operation): string {
  return `held, because it would ${result?.held}: see "idsync operations show ${id}", and confirm it with "idsync operations confirm ${id} --reason …"`;
}

/** Prints an operation: its single values as fields, then each list of its result as a table. Sets the exit code. */
export function printOperation(session: Session, operation: responses.Operation): void {
  session.exit(exitCodeOf(operation.status));
  if (session.isRaw) {
    session.printOne(operation);
    return;
  }
  const { result = {}, progress, ...rest } = operation;
  const parts = Object.entries(result);
  const done = progress && { records: `${progress.done} of ${progress.total}` };
  session.printOne({ ...rest, ...done, ...Object.fromEntries(parts.filter(([, value]) => !isTable(value))) });
  for (const [name, value] of parts) {
    if (!isTable(value)) continue;
    session.printTable(value, columnsOf(value), name);
    const total = Number(result[countOf[name] ?? ''] ?? 0);
    if (total > value.length) {
      const more = `idsync operations items ${operation.operation_id} --list ${name} --offset ${value.length}`;
      session.note(`${value.length} of ${total} shown: continue with "${more}"`);
    }
  }
  if (operation.status === 'held') session.note(heldNote(operation));
  if (operation.status === 'queued' || operation.status === 'running') {
    session.note(`not done yet: check with "idsync operations show ${operation.operation_id}"`);
  }
}

/** The count of all items of each list of a result. */
const countOf: Record<string, string> = {
  joined: 'identities_joined',
  parted: 'identities_parted',
  moved: 'accounts_moved',
  cases: 'cases_opened',
  access_changes: 'access_changes_total',
};

/** Returns a column for each field of the items. */
export function columnsOf(items: readonly Record<string, unknown>[]): Column<Record<string, unknown>>[] {
  const fields = [...new Set(items.flatMap((item) => Object.keys(item)))];
  return fields.map((field) => [field, (item) => shown(item[field])]);
}

function isTable(value: unknown): value is Record<string, unknown>[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'object' && item !== null);
}

/** Shows compared values as `a = b`, and a candidate by its name. */
function shown(value: unknown): unknown {
  if (!isTable(value)) return value;
  return value.map(({ field, value: own, other, name, identity_id: id, score }) =>
    field === undefined ? `${name ?? id} (score ${score})` : `${own ?? '?'} = ${other ?? '?'}`,
  );
}
