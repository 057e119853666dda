import { withoutCredentials } from './without-credentials.js';

/** What a failed statement was given, and which row it met, stays out of the logs: both are people's data. */
export function plainError(error: unknown): object {
  if (!(error instanceof Error)) return { message: withoutCredentials(String(error)) };
  const { name, message, stack } = error;
  const code = (error as { code?: unknown }).code;
  return {
    type: name,
    message: withoutCredentials(message),
    stack: withoutCredentials(stack ?? ''),
    ...(typeof code === 'string' && { code }),
  };
}
