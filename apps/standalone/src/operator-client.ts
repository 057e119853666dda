import { setTimeout as sleep } from 'node:timers/promises';

/** The part of the operator API that the demo uses. */
export interface OperatorClient {
  readonly baseUrl: string;
  get<Body>(path: string): Promise<Body>;
  /** Returns undefined for a 404. */
  find<Body>(path: string): Promise<Body | undefined>;
  post<Body>(path: string, body: object): Promise<Body>;
  patch<Body>(path: string, body: object): Promise<Body>;
}

const timeoutMs = 30_000;
/** Long enough for a restart of the database. */
const retryForMs = 60_000;
const retryEveryMs = 500;

export function operatorClient(baseUrl: string, adminToken: string): OperatorClient {
  const send = (method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${baseUrl}/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
  /** Retries reads on server errors. Writes are not retried, because they may have taken effect. */
  const read = async (path: string): Promise<Response> => {
    for (const end = Date.now() + retryForMs; ; await sleep(retryEveryMs)) {
      const response = await send('GET', path);
      if (response.status < 500 || Date.now() > end) return response;
      await response.body?.cancel();
    }
  };
  const call = async <Body>(method: string, path: string, body?: object): Promise<Body> => {
    const response = body ? await send(method, path, body) : await read(path);
    const result = (await response.json()) as Body & { error?: string };
    if (!response.ok) throw new Error(`${method} /admin/v1${path}: ${response.status} ${result.error ?? ''}`);
    return result;
  };
  return {
    baseUrl,
    get: (path) => call('GET', path),
    find: async <Body>(path: string) => {
      const response = await read(path);
      if (response.ok) return (await response.json()) as Body;
      if (response.status === 404) return undefined;
      throw new Error(`GET /admin/v1${path}: ${response.status}`);
    },
    post: (path, body) => call('POST', path, body),
    patch: (path, body) => call('PATCH', path, body),
  };
}
