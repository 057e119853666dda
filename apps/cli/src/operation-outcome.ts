import type { OperationStatus, responses } from '@idsync/contracts';
import type { Session } from './session.js';
import { table } from './table.js';

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
  if (session.json) {
    session.printOne(operation);
    return;
  }
  const { result = {}, ...rest } = operation;
  const parts = Object.entries(result);
  session.printOne({ ...rest, ...Object.fromEntries(parts.filter(([, value]) => !isTable(value))) });
  for (const [name, value] of parts) {
    if (!isTable(value)) continue;
    const headings = Object.keys(value[0] ?? {});
    const rows = value.map((item) => headings.map((heading) => item[heading]));
    session.print(`\n${name}:\n${table(headings, rows)}`);
  }
  if (operation.status === 'queued') {
    session.note(`not done yet: check with "idsync operations show ${operation.operation_id}"`);
  }
}

function isTable(value: unknown): value is Record<string, unknown>[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'object' && item !== null);
}
