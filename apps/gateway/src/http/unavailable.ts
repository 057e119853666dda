import { errorTexts } from '@idsync/contracts';
import { DatabaseBusy, isTimeout, isUnavailable } from '@idsync/database';
import { ApiError } from './api-error.js';

const retryAfterSeconds = 5;
/** Longer, because the cause of a slow request needs time to pass. */
const retrySlowAfterSeconds = 30;

/** Maps a transient failure to a 503: the database is unavailable, busy, or timed out. Undefined for any other error. */
export function asUnavailable(error: unknown): ApiError | undefined {
  if (error instanceof DatabaseBusy) return new ApiError(503, errorTexts.busy, retryAfterSeconds);
  if (isTimeout(error)) return new ApiError(503, errorTexts.tooSlow, retrySlowAfterSeconds);
  if (isUnavailable(error)) return new ApiError(503, errorTexts.unavailable, retryAfterSeconds);
  return undefined;
}
