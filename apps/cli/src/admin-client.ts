import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ReadableStream } from 'node:stream/web';
import type * as operator from '@idsync/client/operator';
import type { Approval, Installation, OneTenant, OperationName } from '@idsync/client/operator';
import {
  BadValueError,
  CliError,
  UnauthorizedError,
  UnreachableError,
  UsageError,
  WaitsForDecision,
} from './cli-error.js';
import { describeMissing } from './what-is-there.js';

/** One page of a list with offset pagination. */
export interface List<Item> {
  data: Item[];
  total: number;
  /** True if there are more items than `total`, or may be. */
  total_is_estimate?: boolean;
  next_cursor?: string | undefined;
}

/** One page of a list with cursor pagination, which has no total. */
export interface CursorList<Item> {
  data: Item[];
  /** Absent on the last page. */
  next_cursor?: string | undefined;
}

export type PageQuery = { limit: number; offset: number };
export type CursorQuery = { limit: number; cursor?: string };

/** The ids in the path of an operation, without that of the tenant; a single one needs no name. */
type Ids<Base extends string, Name extends OperationName<Base>> = Name extends `${string}{${string}}${infer Rest}`
  ? Rest extends `${string}{${string}`
    ? Omit<operator.Ids<Base, Name>, Base extends OneTenant ? 'tenantId' : never>
    : string
  : Record<string, never>;
/** A response that waits for a second operator is thrown. */
type Settled<Body> = [Exclude<Body, Approval>] extends [never] ? Body : Exclude<Body, Approval>;
type Answer<Base extends string, Name extends OperationName<Base>> = Settled<operator.Answer<Base, Name>>;
type ItemOf<Base extends string, Name extends OperationName<Base>> =
  Answer<Base, Name> extends { data: (infer Item)[] } ? Item : never;

const responseTimeoutMs = 30_000;
const stalledMs = 60_000;
/** Responses of a proxy whose gateway is away. */
const proxied = new Set([502, 503, 504]);
/** The largest page size that the service accepts. */
const pageSize = 200;
/** Bounds the requests for one list: with a selective filter, pages can be empty. */
const maxPages = 100;

/** Client of the operations below a path. Every failure is a CliError that names a remedy. */
export class AdminClient<Base extends Installation | OneTenant> {
  constructor(
    private readonly url: string,
    /** Absent for requests that sign in. */
    private readonly token?: string,
    /** The tenant whose operations are called. */
    private readonly tenantId?: string,
  ) {}

  /** Sends a typed request: `call('POST /cases/{caseId}/resolve', caseId, body)`. */
  async call<Name extends OperationName<Base>>(
    name: Name,
    ids: Ids<Base, Name>,
    input?: operator.Input<Base, Name>,
  ): Promise<Answer<Base, Name>> {
    const [method = '', template = ''] = name.split(' ');
    const hasQuery = method === 'GET' || method === 'DELETE';
    const query = hasQuery ? parametersOf(input ?? {}) : '';
    const path = `${this.pathOf(template, ids as string)}${query && `?${query}`}`;
    const { status, text } = await this.exchange(method, path, hasQuery ? undefined : input);
    const reply = parse(text);
    const waiting = status === 202 ? approvalIn(reply) : undefined;
    if (waiting) throw waiting;
    if (status >= 200 && status < 300 && reply !== notJson) return reply as Answer<Base, Name>;
    throw await this.errorOf(method, path, { status, reply });
  }

  /** Reads all pages of a list. */
  async all<Name extends OperationName<Base>>(name: Name, ids: Ids<Base, Name>): Promise<List<ItemOf<Base, Name>>> {
    const data: ItemOf<Base, Name>[] = [];
    for (;;) {
      const query = { limit: pageSize, offset: data.length } as operator.Input<Base, Name>;
      const page = (await this.call(name, ids, query)) as List<ItemOf<Base, Name>>;
      data.push(...page.data);
      if (page.data.length === 0 || data.length >= page.total) return { data, total: page.total };
    }
  }

  /**
   * Reads up to `limit` items of a list with cursor pagination, or whose pages may be short; `next_cursor` points at the
   * remaining items.
   */
  async upTo<Name extends OperationName<Base>>(
    name: Name,
    given: operator.Input<Base, Name> & CursorQuery,
  ): Promise<Answer<Base, Name> & CursorList<ItemOf<Base, Name>>> {
    const data: ItemOf<Base, Name>[] = [];
    const { limit } = given;
    let next = given.cursor;
    let first: Answer<Base, Name> | undefined;
    for (let pages = 0; pages < maxPages; pages += 1) {
      const query: unknown = { ...given, limit: Math.min(limit - data.length, pageSize), cursor: next };
      const page = await this.call(name, {} as Ids<Base, Name>, query as operator.Input<Base, Name>);
      first ??= page;
      const { data: found, next_cursor: following } = page as CursorList<ItemOf<Base, Name>>;
      data.push(...found);
      next = following;
      if (next === undefined || data.length >= limit) break;
    }
    // Programs get the other fields of a list with a total.
    const others = first && 'total' in (first as object) ? first : {};
    return Object.assign({}, others, { data, next_cursor: next }) as Answer<Base, Name> &
      CursorList<ItemOf<Base, Name>>;
  }

  /** Opens a response that is read as it arrives. It fails if the service sends nothing for a minute. */
  async download<Name extends OperationName<Base> & `GET ${string}`>(
    name: Name,
    id: string,
    query: operator.Input<Base, Name>,
  ): Promise<Readable> {
    const parameters = parametersOf(query ?? {});
    const path = `${this.pathOf(name.slice('GET '.length), id)}${parameters && `?${parameters}`}`;
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

  private async errorOf(
    method: string,
    path: string,
    { status, reply }: { status: number; reply: unknown },
  ): Promise<CliError> {
    const message = (reply as { error?: unknown } | undefined)?.error;
    if (typeof message !== 'string') {
      if (proxied.has(status)) return new UnreachableError(`${this.url} is unavailable (${status})`);
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

  private pathOf(template: string, ids: string | Record<string, string>): string {
    const ofTenant = this.tenantId === undefined ? '' : `tenants/${segmentOf('tenantId', this.tenantId)}`;
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      segmentOf(name, typeof ids === 'string' ? ids : (ids[name] ?? '')),
    );
    return `${ofTenant}${path}`.replace(/^\//, '');
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

/** Writes `attributes: { cost_center: '4711' }` as `attributes.cost_center=4711`. */
function parametersOf({ attributes = {}, ...others }: { attributes?: object }): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(attributes)) parameters.append(`attributes.${name}`, value);
  for (const [name, value] of Object.entries(others)) if (value !== undefined) parameters.append(name, String(value));
  return parameters.toString();
}

/** Rejects an id that could address another path. The ids of sources may contain anything else. */
function segmentOf(name: string, value: string): string {
  if (name !== 'externalId' && !/^[\w-]+$/.test(value)) throw new UsageError(`"${value}" is not a valid id`);
  return encodeURIComponent(value);
}

/** Requests that need a second operator are answered with an approval in place of the usual response. */
function approvalIn(reply: unknown): WaitsForDecision | undefined {
  const { approval_id: id, expires_at: until } = (reply ?? {}) as Partial<Approval>;
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
