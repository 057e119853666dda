import type { OperationStatus, responses } from '@idsync/contracts';
import type { Session } from './session.js';

/** Help text of every command that prints an operation. */
export const operationExitCodes = `
Exit codes:
  0  done
  4  not done yet: the directory is busy or not running; check with "idsync operations show"
  1  refused, or the outcome is unknown`;

/** 0 done, 4 not done yet, 1 refused. */
export function exitCodeOf(status: OperationStatus): number {
  if (status === 'done') return 0;
  return status === 'queued' ? 4 : 1;
}

/** Prints an operation: its single values as fields, then each list of its result as a table. */
export function printOperation(session: Session, operation: responses.Operation): void {
  if (session.isRaw) {
    session.printOne(operation);
    return;
  }
  const { result = {}, ...rest } = operation;
  const parts = Object.entries(result);
  session.printOne({ ...rest, ...Object.fromEntries(parts.filter(([, value]) => !isTable(value))) });
  for (const [name, value] of parts) {
    if (!isTable(value)) continue;
    const { headings, row } = columnsOf(value);
    session.printTable(headings, value.map(row), name);
    const total = Number(result[countOf[name] ?? ''] ?? 0);
    if (total > value.length) {
      const more = `idsync operations items ${operation.operation_id} --list ${name} --offset ${value.length}`;
      session.note(`${value.length} of ${total} shown: continue with "${more}"`);
    }
  }
  if (operation.status === 'queued') {
    session.note(`not done yet: check with "idsync operations show ${operation.operation_id}"`);
  }
}

/** The count of all items of each list of a result. */
const countOf: Record<string, string> = {
  joined: 'identities_joined',
  parted: 'identities_parted',
  moved: 'accounts_moved',
  cases: 'cases_opened',
};

/** Returns a column for each field of the items. */
export function columnsOf(items: readonly Record<string, unknown>[]) {
  const headings = [...new Set(items.flatMap((item) => Object.keys(item)))];
  return { headings, row: (item: Record<string, unknown>) => headings.map((heading) => shown(item[heading])) };
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
