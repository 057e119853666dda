import type { OutputStream } from './output.js';

export type Variables = Record<string, string | undefined>;

/** Streams, environment and working directory of a run; replaced in tests. */
export interface CliContext {
  /** Answers confirmations; standard input by default. */
  in?: NodeJS.ReadableStream & { isTTY?: boolean };
  out: OutputStream;
  err: NodeJS.WritableStream;
  env?: Variables;
  cwd?: string;
  /** Receives the exit code of a command that does not throw. */
  exit?: (code: number) => void;
  /** Ends commands that follow a stream, as an interrupt of the process does. */
  stop?: AbortSignal;
}
