import type { OperationStatus } from '@idsync/contracts';
import type { Operation } from './admin-replies.js';
import type { Session } from './session.js';
import { table } from './table.js';

/** For the help of every command that prints an operation. */
export const operationExitCodes = `
Exit codes:
  0  done
  4  not done yet: the directory is busy or not running; "idsync operations show" tells when it is
  1  refused, or nobody could tell`;

/** 0 done, 4 not done yet, 1 refused. */
export function exitCodeOf(status: OperationStatus): number {
  if (status === 'done') return 0;
  return status === 'queued' ? 4 : 1;
}

/** What an operation did: its single values as fields, its lists of things as tables below them. */
export function printOperation(session: Session, operation: Operation): void {
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
    session.note(`not done yet; "idsync operations show ${operation.operation_id}" tells when it is`);
  }
}

function isTable(value: unknown): value is Record<string, unknown>[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'object' && item !== null);
}
