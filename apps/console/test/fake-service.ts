import type { Answer, OneTenant, OperationName } from '@idsync/client/operator';
import type { Role, Session } from '../src/data/session';

export const tenantId = `ten_${'0'.repeat(26)}`;
const tenant = { id: tenantId, name: 'Northwind', created_at: '2026-01-05T08:00:00.000Z' };
const tenantPath = `/admin/v1/tenants/${tenantId}`;
const csrfToken = 'csrf-of-the-session';

/** Answers by method and path below the tenant: the body of a success, or a function that returns it. */
export type Answers = { [Name in OperationName<OneTenant>]?: Given<Answer<OneTenant, Name>> };
type Given<Body> = Body | ((request: Asked) => Body | Response);

/** A request as the service received it. */
export interface Asked {
  method: string;
  /** Below the tenant. */
  path: string;
  query: Record<string, string>;
  body?: unknown;
}

export const refusal = (status: number, error: string) => Response.json({ error }, { status });

/** Answers the requests of the console. A request without an answer is refused and listed as unexpected. */
export class FakeService {
  readonly asked: Asked[] = [];
  readonly unexpected: string[] = [];
  private readonly session: Session;

  constructor(
    role: Role,
    private readonly answers: Answers,
  ) {
    this.session = { actor: { id: 'tok_1', name: 'olga', kind: 'service_token', role }, csrf_token: csrfToken };
  }

  /** The requests of a kind, such as `POST`. */
  sent(method: string): Asked[] {
    return this.asked.filter((request) => request.method === method);
  }

  readonly fetch: typeof fetch = async (input, init) => {
    const request = input instanceof Request ? input : new Request(new URL(String(input), location.origin).href, init);
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === '/admin/v1/session') return json(this.session);
    if (pathname === '/admin/v1/tenants') return json({ data: [tenant], total: 1, limit: 200, offset: 0 });
    const text = await request.text();
    const asked: Asked = {
      method: request.method,
      path: pathname.startsWith(tenantPath) ? pathname.slice(tenantPath.length) : pathname,
      query: Object.fromEntries(searchParams),
      ...(text && { body: JSON.parse(text) }),
    };
    this.asked.push(asked);
    if (asked.method !== 'GET' && request.headers.get('x-csrf-token') !== csrfToken)
      return this.refuse(asked, 'without the CSRF token of the session');
    const answer = this.answerTo(asked);
    if (answer === undefined) return this.refuse(asked);
    const result = typeof answer === 'function' ? answer(asked) : answer;
    return result instanceof Response ? result : json(result);
  };

  private answerTo({ method, path }: Asked): Given<unknown> | undefined {
    const known: Record<string, Given<unknown>> = { 'GET ': tenant, ...this.answers };
    const name = Object.keys(known).find((each) => patternOf(each).test(`${method} ${path}`));
    return name === undefined ? undefined : known[name];
  }

  private refuse({ method, path }: Asked, why = 'for which the test gives no answer'): Response {
    this.unexpected.push(`${method} ${path} ${why}`);
    return refusal(404, 'not found');
  }
}

/** Without its length, so that the client parses the text itself: objects that Node parses have other prototypes. */
function json(body: unknown): Response {
  return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } });
}

/** `GET /cases/{caseId}` matches any id. */
function patternOf(name: string): RegExp {
  return new RegExp(`^${name.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}
