import { QueryFailedError } from 'typeorm';

export const uniqueViolation = '23505';
export const lockNotAvailable = '55P03';

/** The SQLSTATE of a failed statement, e.g. `23505`, or undefined if the error is none of PostgreSQL's. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof QueryFailedError)) return undefined;
  return (error.driverError as { code?: string }).code;
}
