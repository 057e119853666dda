import { AsyncLocalStorage } from 'node:async_hooks';

/** What a line in the logs belongs to, as far as it is known. */
export interface LogContext {
  request_id?: string;
  tenant_id?: string;
  job_id?: string;
  message_id?: string;
  event_id?: string;
  delivery_id?: string;
}

const contexts = new AsyncLocalStorage<LogContext>();

/** Every line that `work` writes, and whatever it begins, carries `context` beside what is known around it. */
export function withLogContext<Result>(context: LogContext, work: () => Result): Result {
  return contexts.run({ ...contexts.getStore(), ...context }, work);
}

/** Adds what has been learnt meanwhile to the lines that follow. */
export function noteInLogs(context: LogContext): void {
  Object.assign(contexts.getStore() ?? {}, context);
}

export function logContext(): LogContext {
  return contexts.getStore() ?? {};
}
