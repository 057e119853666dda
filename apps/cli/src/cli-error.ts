/** What the user can mend: one line for standard error, exit code 1. */
export class CliError extends Error {
  override readonly name: string = 'CliError';
}

/** The service did not answer; asking again later may help. */
export class UnreachableError extends CliError {
  override readonly name = 'UnreachableError';
}
