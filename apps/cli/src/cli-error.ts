/** An error that the user can fix: printed as one line on standard error, with exit code 1. */
export class CliError extends Error {
  override readonly name: string = 'CliError';
}

/** The service did not respond; a retry may succeed. */
export class UnreachableError extends CliError {
  override readonly name = 'UnreachableError';
}
