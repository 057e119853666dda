interface LogMethod {
  (fields: object, message: string): void;
  (message: string): void;
}

/**
 * Structured logger: a fixed message with fields, the error as `err`. A class, because it is also an injection token.
 */
export abstract class Logger {
  abstract readonly trace: LogMethod;
  abstract readonly debug: LogMethod;
  abstract readonly info: LogMethod;
  abstract readonly warn: LogMethod;
  abstract readonly error: LogMethod;
}

const ignore = () => undefined;

/** Writes nothing. */
export const silentLogger: Logger = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };
