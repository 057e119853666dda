import { QueryFailedError } from 'typeorm';

export const uniqueViolation = '23505';
export const lockNotAvailable = '55P03';
export const serializationFailure = '40001';
export const deadlockDetected = '40P01';

/** The SQLSTATE of a failed statement, e.g. `23505`, or undefined if the error is none of PostgreSQL's. */
export function sqlState(error: unknown): string | undefined {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  // Errors of the network have codes too; only PostgreSQL itself tells how severe it is.
  const { code, severity } = (cause ?? {}) as { code?: string; severity?: string };
  return severity === undefined ? undefined : code;
}
