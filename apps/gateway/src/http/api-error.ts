import { errorTexts } from '@idsync/contracts';

/** An error response: its status and the text for the client. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    message: string,
    /** Value of `Retry-After`. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }
}

export const notFound = (): ApiError => new ApiError(404, errorTexts.notFound);
export const badRequest = (message: string): ApiError => new ApiError(400, message);

/** Returns the value. Throws a 404 for `undefined` of a query and `false` of a deletion. */
export function orNotFound<T>(found: T | undefined | false): T {
  if (found === undefined || found === false) throw notFound();
  return found;
}
