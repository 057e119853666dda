import type { CursorList, List } from './admin-replies.js';
import { CliError, UnreachableError } from './cli-error.js';

const answerWithinMs = 30_000;
/** The longest page the service gives. */
const pageSize = 200;
/** Pages of a list that goes on by cursors; they may be empty, where a filter fits little. */
const mostPages = 100;

/** Speaks to `/admin/v1`. Every failure is a CliError that says what to do about it. */
export class AdminClient {
  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  get<Reply>(path: string): Promise<Reply> {
    return this.request<Reply>('GET', path);
  }

  /** Every page of a list, as one. */
  async getAll<Item>(path: string): Promise<List<Item>> {
    const data: Item[] = [];
    for (;;) {
      const page = await this.get<List<Item>>(`${path}?limit=${pageSize}&offset=${data.length}`);
      data.push(...page.data);
      if (page.data.length === 0 || data.length >= page.total) return { data, total: page.total };
    }
  }

  /** The first so many of a list that goes on by cursors, and where the rest begins. */
  async getUpTo<Item>(
    path: string,
    limit: number,
    { cursor, ...filters }: Record<string, string | undefined>,
  ): Promise<CursorList<Item>> {
    const data: Item[] = [];
    let next = cursor;
    for (let pages = 0; pages < mostPages; pages += 1) {
      const query = new URLSearchParams({ limit: String(Math.min(limit - data.length, pageSize)) });
      for (const [name, value] of Object.entries({ ...filters, cursor: next })) {
        if (value !== undefined) query.set(name, value);
      }
      const page = await this.get<CursorList<Item>>(`${path}?${query}`);
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

  private async request<Reply>(method: string, path: string, body?: unknown): Promise<Reply> {
    const { status, text } = await this.exchange(method, path, body);
    const reply = parse(text);
    if (status >= 200 && status < 300 && reply !== unreadable) return reply as Reply;
    const said = (reply as { error?: unknown } | undefined)?.error;
    if (typeof said !== 'string') throw new CliError(`unexpected answer (${status}) from ${this.url}; is it idsync?`);
    if (status === 401) throw new CliError(`${said}; check --token or ADMIN_TOKEN`);
    throw status === 503 ? new UnreachableError(said) : new CliError(said);
  }

  private async exchange(method: string, path: string, body: unknown): Promise<{ status: number; text: string }> {
    try {
      const response = await fetch(`${this.url}/admin/v1/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${this.token}`,
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // A redirect would carry the token to who knows where.
        redirect: 'manual',
        signal: AbortSignal.timeout(answerWithinMs),
      });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      throw new UnreachableError(this.explain(error as Error));
    }
  }

  private explain(error: Error): string {
    if (error.name === 'TimeoutError') return `no answer from ${this.url} within ${answerWithinMs / 1_000} s`;
    const cause = error.cause as { code?: string; message?: string } | undefined;
    return `cannot reach ${this.url} (${cause?.code ?? cause?.message ?? error.message}); is idsync running?`;
  }
}

/** Joins ids and names to a path; an id that could lead to another path is refused here. */
export function pathOf(...segments: string[]): string {
  for (const segment of segments) {
    if (!/^[\w-]+$/.test(segment)) throw new CliError(`"${segment}" is not an id`);
  }
  return segments.join('/');
}

const unreadable = Symbol('a body that is not JSON');

function parse(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return unreadable;
  }
}
