import { withoutCredentials } from './without-credentials.js';

/** Omits the parameters and detail of a failed statement, because they contain personal data. */
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
