import { errorTexts } from '@idsync/contracts';

/** An answer that is an error: its status, and the text the client reads. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    message: string,
    /** When to try again, where that is known. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }
}

export const notFound = (): ApiError => new ApiError(404, errorTexts.notFound);
export const badRequest = (message: string): ApiError => new ApiError(400, message);
