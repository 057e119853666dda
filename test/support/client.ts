export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert the shape they expect
  body: any;
}

/** An HTTP client of the gateway, with an API key or as the operator. */
export class Client {
  constructor(
    readonly url: string,
    readonly headers: Record<string, string>,
  ) {}

  static operator(url: string, token: string): Client {
    return new Client(url, { authorization: `Bearer ${token}` });
  }

  /** Returns the same client with additional headers. */
  with(headers: Record<string, string>): Client {
    return new Client(this.url, { ...this.headers, ...headers });
  }

  /** Returns the same client for another gateway. */
  at(url: string): Client {
    return new Client(url, this.headers);
  }

  async call(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { ...this.headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: body === undefined ? undefined : JSON.stringify(body),
      redirect: 'manual',
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  }

  get(path: string): Promise<Answer> {
    return this.call('GET', path);
  }

  post(path: string, body?: unknown): Promise<Answer> {
    return this.call('POST', path, body);
  }
}

export interface Tenant {
  id: string;
  key: string;
  operator: Client;
  client: Client;
}

export async function createTenant(operator: Client, name: string): Promise<Tenant> {
  const tenant = await operator.post('/admin/v1/tenants', { name });
  if (tenant.status !== 201) throw new Error(`creating the tenant failed: ${JSON.stringify(tenant.body)}`);
  const key = await operator.post(`/admin/v1/tenants/${tenant.body.id}/api-keys`, { name: 'test' });
  if (key.status !== 201) throw new Error(`creating the API key failed: ${JSON.stringify(key.body)}`);
  const client = new Client(operator.url, { 'x-api-key': key.body.key });
  return { id: tenant.body.id, key: key.body.key, operator, client };
}

export async function createConnector(tenant: Tenant, body: object): Promise<string> {
  const answer = await tenant.operator.post(`/admin/v1/tenants/${tenant.id}/connectors`, body);
  if (answer.status !== 201) throw new Error(`creating the connector failed: ${JSON.stringify(answer.body)}`);
  return answer.body.id;
}

const ended = new Set(['completed', 'completed_with_errors', 'failed', 'cancelled']);

/** Triggers a sync and waits for its end; resolves with the job's status. */
export async function sync(tenant: Tenant, connectorId: string, withinMs?: number): Promise<Answer['body']> {
  const triggered = await tenant.client.post('/v1/sync/trigger', { connector_id: connectorId });
  return jobEnd(tenant, triggered.body.job_id, withinMs);
}

export async function jobEnd(tenant: Tenant, jobId: string, withinMs = 120_000): Promise<Answer['body']> {
  // Many jobs end within 100 ms; polling for a longer one at that rate would slow it down.
  for (let end = Date.now() + withinMs, ms = 40; Date.now() < end; ms = Math.min(ms * 1.25, 250)) {
    const job = await tenant.client.get(`/v1/sync/jobs/${jobId}`).catch(() => undefined);
    if (job && ended.has(job.body.status)) return job.body;
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
  const job = await tenant.operator.get(`/admin/v1/tenants/${tenant.id}/sync-jobs/${jobId}`);
  throw new Error(`the job did not end: ${JSON.stringify(job.body)}`);
}
