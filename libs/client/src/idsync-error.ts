/** A request that idsync refused or could not answer. */
export class IdsyncError extends Error {
  override readonly name = 'IdsyncError';

  constructor(
    /** HTTP status of the response. */
    readonly status: number,
    /** The `error` of the response. */
    message: string,
    /** `X-Request-Id` of the response, under which the gateway logs the request. */
    readonly requestId: string | undefined,
  ) {
    super(message);
  }
}

interface Result<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/** Returns the body of a successful response. Throws an IdsyncError otherwise. */
export async function answerOf<Data>(request: Promise<Result<Data>>): Promise<Data> {
  const { data, error, response } = await request;
  if (response.ok) return data as Data;
  const text = (error as { error?: unknown } | undefined)?.error;
  const message = typeof text === 'string' ? text : `unexpected response with status ${response.status}`;
  throw new IdsyncError(response.status, message, response.headers.get('x-request-id') ?? undefined);
}
