import { QueryFailedError } from 'typeorm';

export const uniqueViolation = '23505';
export const lockNotAvailable = '55P03';
export const serializationFailure = '40001';
export const deadlockDetected = '40P01';
/** A prepared statement has other columns than when it was prepared, because a table was changed. */
export const changedResult = '0A000';
/** There is no prepared statement of this name. */
export const notPrepared = '26000';
/** An earlier statement of the transaction has failed. */
export const failedTransaction = '25P02';

/** Returns the SQLSTATE of a failed statement, e.g. `23505`, or undefined if the error is not from PostgreSQL. */
export function sqlState(error: unknown): string | undefined {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  // Network errors have codes too, but only errors from PostgreSQL have a severity.
  const { code, severity } = (cause ?? {}) as { code?: string; severity?: string };
  return severity === undefined ? undefined : code;
}

/** True if a statement timed out in PostgreSQL or, if that no longer answers, in the driver. */
export function isTimeout(error: unknown): boolean {
  return sqlState(error) === queryCanceled || messageOf(error) === 'Query read timeout';
}

/** True if PostgreSQL was unreachable or the connection was lost, so that a retry may succeed. */
export function isUnavailable(error: unknown): boolean {
  const state = sqlState(error);
  if (state === internalError) return lostNode.test(messageOf(error));
  if (state !== undefined) return unavailableStates.has(state) || unavailableClasses.has(state.slice(0, 2));
  const { code } = (error ?? {}) as { code?: string };
  return networkCodes.has(code ?? '') || lostConnection.test(messageOf(error));
}

const queryCanceled = '57014';
const internalError = 'XX000';
/** Messages of Citus about a lost node. Their SQLSTATE is that of any internal error. */
const lostNode =
  /^(failure on connection marked as essential|failed to COPY to shard|could not commit transaction for shard|postmaster was shut down)/;
/**
 * Shutdown, crash and startup; an idle session timeout; a read-only server, as after a failover; locks and
 * serialization failures.
 */
const unavailableStates = new Set([
  ...['57P01', '57P02', '57P03', '57P05', '25P03', '25006'],
  ...[lockNotAvailable, serializationFailure, deadlockDetected],
]);
/** Connection exceptions, and lack of resources: connections, memory, disk. */
const unavailableClasses = new Set(['08', '53']);
const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** Error messages of `pg` and TypeORM, which have no codes for these. */
const lostConnection =
  /^(Connection terminated|Query runner already released|timeout exceeded when trying to connect|timeout expired|Client (has encountered a connection error|was closed) and is not queryable|Cannot use a pool after calling end on the pool)/;

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}
