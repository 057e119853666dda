/** The operator interface as the demo uses it, over HTTP like everybody else. */
export interface OperatorClient {
  get<Answer>(path: string): Promise<Answer>;
  /** Undefined where there is none. */
  find<Answer>(path: string): Promise<Answer | undefined>;
  post<Answer>(path: string, body: object): Promise<Answer>;
}

const timeoutMs = 30_000;

export function operatorClient(baseUrl: string, adminToken: string): OperatorClient {
  const send = (method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${baseUrl}/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
  const call = async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const response = await send(method, path, body);
    const answer = (await response.json()) as Answer & { error?: string };
    if (!response.ok) throw new Error(`${method} /admin/v1${path}: ${response.status} ${answer.error ?? ''}`);
    return answer;
  };
  return {
    get: (path) => call('GET', path),
    find: async <Answer>(path: string) => {
      const response = await send('GET', path);
      if (response.ok) return (await response.json()) as Answer;
      if (response.status === 404) return undefined;
      throw new Error(`GET /admin/v1${path}: ${response.status}`);
    },
    post: (path, body) => call('POST', path, body),
  };
}
