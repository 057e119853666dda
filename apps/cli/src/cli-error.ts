/** An error that the user can fix: printed as one line on standard error, with exit code 1. */
export class CliError extends Error {
  override readonly name = this.constructor.name;
  readonly exitCode: number = 1;
}

/** The command line, its files or its settings name something that is wrong or does not exist. */
export class UsageError extends CliError {
  override readonly exitCode = 2;
}

/** The service refused a value, whose field the message names. */
export class BadValueError extends CliError {
  override readonly exitCode = 2;
}

/** The service did not respond; a retry may succeed. */
export class UnreachableError extends CliError {}

/** The service accepted the request, and an operator has to decide about it. */
export class WaitsForDecision extends CliError {
  override readonly exitCode = 4;
}

/** The token is absent, wrong or no longer valid. */
export class UnauthorizedError extends CliError {}

/** The user interrupted the command; 130 is what shells report for SIGINT. */
export class InterruptedError extends CliError {
  override readonly exitCode = 130;
}
