import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ReadableStream } from 'node:stream/web';
import type { responses } from '@idsync/contracts';
import {
  BadValueError,
  CliError,
  UnauthorizedError,
  UnreachableError,
  UsageError,
  WaitsForDecision,
} from './cli-error.js';
import { describeMissing } from './describe-missing.js';

/** One page of a list with offset pagination. */
export interface List<Item> {
  data: Item[];
  total: number;
  /** True if there are more items than `total`. */
  total_is_estimate?: boolean;
}

/** One page of a list with cursor pagination, which has no total. */
export interface CursorList<Item> {
  data: Item[];
  /** Absent on the last page. */
  next_cursor?: string;
}

/** Query parameters; absent ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;
export type PageQuery = { limit: number; offset: number };
export type CursorQuery = Query & { limit: number; cursor?: string | undefined };

const responseTimeoutMs = 30_000;
const stalledMs = 60_000;
/** The largest page size that the service accepts. */
const pageSize = 200;
/** Bounds the requests for one list: with a selective filter, pages can be empty. */
const maxPages = 100;

/** Client of `/admin/v1`. Every failure is a CliError that names a remedy. */
export class AdminClient {
  constructor(
    private readonly url: string,
    /** Absent for requests that sign in. */
    private readonly token?: string,
  ) {}

  get<Reply>(path: string): Promise<Reply> {
    return this.request<Reply>('GET', path);
  }

  /** Reads all pages of a list. */
  async getAll<Item>(path: string): Promise<List<Item>> {
    const data: Item[] = [];
    for (;;) {
      const page = await this.get<List<Item>>(`${path}?limit=${pageSize}&offset=${data.length}`);
      data.push(...page.data);
      if (page.data.length === 0 || data.length >= page.total) return { data, total: page.total };
    }
  }

  /** Reads one page of a list. */
  list<Item>(path: string, query: Query): Promise<List<Item>> {
    return this.get<List<Item>>(`${path}?${parametersOf(query)}`);
  }

  /** Reads up to `limit` items of a list with cursor pagination; `next_cursor` points at the remaining items. */
  async getUpTo<Item>(path: string, { limit, cursor, ...filters }: CursorQuery): Promise<CursorList<Item>> {
    const data: Item[] = [];
    let next = cursor;
    for (let pages = 0; pages < maxPages; pages += 1) {
      const query = { limit: Math.min(limit - data.length, pageSize), ...filters, cursor: next };
      const page = await this.get<CursorList<Item>>(`${path}?${parametersOf(query)}`);
      data.push(...page.data);
      next = page.next_cursor;
      if (next === undefined || data.length >= limit) break;
    }
    return { data, next_cursor: next };
  }

  post<Reply>(path: string, body: unknown): Promise<Reply> {
    return this.request<Reply>('POST', path, body);
  }

  put<Reply>(path: string, body: unknown): Promise<Reply> {
    return this.request<Reply>('PUT', path, body);
  }

  patch<Reply>(path: string, body: unknown): Promise<Reply> {
    return this.request<Reply>('PATCH', path, body);
  }

  delete(path: string): Promise<undefined> {
    return this.request<undefined>('DELETE', path);
  }

  /** Opens a response that is read as it arrives. It fails if the service sends nothing for a minute. */
  async download(path: string): Promise<Readable> {
    const stalled = new AbortController();
    const timer = setTimeout(() => stalled.abort(), stalledMs);
    let response: Response;
    try {
      response = await fetch(`${this.url}/admin/v1/${path}`, {
        headers: this.credentials,
        redirect: 'manual',
        signal: stalled.signal,
      });
    } catch (error) {
      clearTimeout(timer);
      throw new UnreachableError(this.explain(error as Error));
    }
    const body = Readable.fromWeb((response.body ?? new Blob([]).stream()) as ReadableStream);
    body.on('data', () => timer.refresh()).once('close', () => clearTimeout(timer));
    body.pause();
    if (response.status === 200) return body;
    throw await this.errorOf('GET', path, { status: response.status, reply: parse(await text(body)) });
  }

  private async request<Reply>(method: string, path: string, body?: unknown): Promise<Reply> {
    const { status, text } = await this.exchange(method, path, body);
    const reply = parse(text);
    const waiting = status === 202 ? approvalIn(reply) : undefined;
    if (waiting) throw waiting;
    if (status >= 200 && status < 300 && reply !== notJson) return reply as Reply;
    throw await this.errorOf(method, path, { status, reply });
  }

  private async errorOf(
    method: string,
    path: string,
    { status, reply }: { status: number; reply: unknown },
  ): Promise<CliError> {
    const message = (reply as { error?: unknown } | undefined)?.error;
    if (typeof message !== 'string') {
      return new CliError(`unexpected response (${status}) from ${this.url}: is this an idsync gateway?`);
    }
    if (status === 401) return new UnauthorizedError(`${message}; check --token, ADMIN_TOKEN or the context`);
    if (status === 503) return new UnreachableError(message);
    if (status === 404) return new UsageError((await describeMissing(path, (part) => this.look(part))) ?? message);
    // A read is refused only for its parameters, a change also for the state of what it would change.
    const isForValue = status === 400 && (method === 'GET' || namesField.test(message));
    return isForValue ? new BadValueError(message) : new CliError(message);
  }

  /** Reads for an error message; undefined if the service does not have it. */
  private async look(path: string): Promise<unknown> {
    const { status, text } = await this.exchange('GET', path, undefined);
    return status === 200 ? parse(text) : undefined;
  }

  private async exchange(method: string, path: string, body: unknown): Promise<{ status: number; text: string }> {
    try {
      const response = await fetch(`${this.url}/admin/v1/${path}`, {
        method,
        headers: {
          ...this.credentials,
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // Following a redirect could send the token to another host.
        redirect: 'manual',
        signal: AbortSignal.timeout(responseTimeoutMs),
      });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      throw new UnreachableError(this.explain(error as Error));
    }
  }

  private get credentials(): Record<string, string> {
    return this.token === undefined ? {} : { authorization: `Bearer ${this.token}` };
  }

  private explain(error: Error): string {
    if (error.name === 'TimeoutError') return `no response from ${this.url} within ${responseTimeoutMs / 1_000} s`;
    const cause = error.cause as { code?: string; message?: string } | undefined;
    return `cannot reach ${this.url} (${cause?.code ?? cause?.message ?? error.message}); is idsync running?`;
  }
}

export function parametersOf(query: Query): URLSearchParams {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return new URLSearchParams(given);
}

/** Joins ids and names to a path. Rejects a segment that could address another path. */
export function pathOf(...segments: string[]): string {
  for (const segment of segments) {
    if (!/^[\w-]+$/.test(segment)) throw new UsageError(`"${segment}" is not a valid id`);
  }
  return segments.join('/');
}

/** Requests that need a second operator are answered with an approval in place of the usual response. */
function approvalIn(reply: unknown): WaitsForDecision | undefined {
  const { approval_id: id, expires_at: until } = (reply ?? {}) as Partial<responses.Approval>;
  if (id === undefined) return undefined;
  return new WaitsForDecision(
    `not done yet: another operator has to run "idsync approvals approve ${id}" until ${until}`,
  );
}

/** Begins with the name of a field, as errors about values do. */
const namesField = /^(?:unknown (?:field|query parameter)\b|[\w.]+(?: (?:must|is)\b|:))/;

const notJson = Symbol('not JSON');

function parse(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return notJson;
  }
}
