import { type Body, textOf } from './operated-gateway.js';

interface Answer {
  status: number;
  headers: Headers;
  body: Body;
}

/** A client with a cookie jar, as a browser has one, which follows no redirect by itself. */
export class Browser {
  /** Cookies of each host, by name. */
  private readonly jar = new Map<string, Map<string, string>>();
  /** Sent with every request that writes. */
  csrfToken: string | undefined;

  constructor(private readonly base: string) {}

  /** Signs in with a token and keeps the CSRF token. */
  async signIn(token: string): Promise<Body> {
    const { status, body } = await this.call('POST', '/admin/v1/session', { token });
    if (status !== 201) throw new Error(`the sign-in was answered with ${status}`);
    this.csrfToken = body.csrf_token;
    return body;
  }

  call(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send(method, new URL(path, this.base), body && JSON.stringify(body), {
      ...(body && { 'content-type': 'application/json' }),
      ...(method !== 'GET' && this.csrfToken !== undefined && { 'x-csrf-token': this.csrfToken }),
      ...headers,
    });
  }

  async send(method: string, url: URL, body?: string, headers: Record<string, string> = {}): Promise<Answer> {
    const cookies = [...(this.jar.get(url.host) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, {
      method,
      redirect: 'manual',
      headers: { ...(cookies && { cookie: cookies }), ...headers },
      ...(body !== undefined && { body }),
    });
    for (const line of answer.headers.getSetCookie()) this.keep(url.host, line);
    const text = await textOf(answer);
    const isJson = text !== '' && answer.headers.get('content-type')?.startsWith('application/json');
    return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text };
  }

  cookie(name: string, host: string = new URL(this.base).host): string | undefined {
    return this.jar.get(host)?.get(name);
  }

  /** Sets a cookie, as an attacker would. */
  plant(name: string, value: string): void {
    this.keep(new URL(this.base).host, `${name}=${value}`);
  }

  private keep(host: string, line: string): void {
    const [pair = '', ...attributes] = line.split(';');
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    const expires = attributes.map((text) => /^\s*expires=(.*)$/i.exec(text)?.[1]).find(Boolean);
    const cookies = this.jar.get(host) ?? new Map<string, string>();
    if (value === '' || (expires && Date.parse(expires) <= Date.now())) cookies.delete(name);
    else cookies.set(name, value);
    this.jar.set(host, cookies);
  }
}
