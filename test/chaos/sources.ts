import { rename, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, createConnector, type Tenant } from '../support/client.js';
import { accountLine, type Row, userLine } from './person.js';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const safeguard = { max_deleted_percent: 100, max_disabled_percent: 100 };
const requestMs = 60_000;

/** A source with its expected content, and the way to publish it to its connector. */
export interface ChaosSource {
  readonly name: string;
  readonly connector: string;
  /** Rows by number. */
  readonly rows: Map<string, Row>;
  /** Publishes `rows`; resolves when they are readable or acknowledged. Rejects if it must be retried. */
  publish(badRecords: number): Promise<void>;
  /** A row as the API shows it after it was read. */
  line(row: Row): string;
}

interface Place {
  tenant: Tenant;
  nth: number;
  sourcesDir: string;
  web: WebFiles;
}

/**
 * Creates a CSV file and a JSON lines file of accounts in a folder, JSON lines at a URL, and an identity provider that
 * pushes.
 */
export async function sourcesOf(place: Place): Promise<ChaosSource[]> {
  return [await hrFile(place), await accountsFile(place), await webFile(place), await pushed(place)];
}

async function hrFile({ tenant, nth, sourcesDir }: Place): Promise<ChaosSource> {
  const file = `hr-${nth}.csv`;
  const rows = new Map<string, Row>();
  const publish = (bad: number) => {
    const lines = [...rows.values()].map((row) => [row.number, row.first, row.last, row.mail, row.title, 'active']);
    for (let n = 0; n < bad; n += 1) lines.push([`bad-${n}`, 'Bad', 'Record', '', '', 'nonsense']);
    return writeWhole(join(sourcesDir, file), `id,first,last,mail,title,state\n${lines.join('\n')}\n`);
  };
  await publish(1);
  const fields = {
    employee_number: 'id',
    first_name: 'first',
    last_name: 'last',
    email: 'mail',
    job_title: 'title',
    status: 'state',
  };
  const config = { path: file, external_id: 'id', fields };
  const connector = await createConnector(tenant, { type: 'csv', name: 'HR', priority: 10, safeguard, config });
  return { name: 'HR', connector, rows, publish, line: (row) => userLine(row.number, row) };
}

const jsonlFields = {
  employee_number: 'id',
  first_name: 'name.first',
  last_name: 'name.last',
  email: 'mail',
  job_title: 'title',
  status: 'state',
};

function jsonLines(rows: Map<string, Row>, bad: number): string {
  const people = [...rows.values()].map(({ number, first, last, mail, title }) => ({
    id: number,
    name: { first, last },
    mail,
    title,
    state: 'active',
  }));
  const wrong = Array.from({ length: bad }, (_, n) => ({ id: `bad-${n}`, state: 'nonsense' }));
  return `${[...people, ...wrong].map((each) => JSON.stringify(each)).join('\n')}\n`;
}

async function accountsFile({ tenant, nth, sourcesDir }: Place): Promise<ChaosSource> {
  const file = `accounts-${nth}.jsonl`;
  const rows = new Map<string, Row>();
  const publish = (bad: number) => writeWhole(join(sourcesDir, file), jsonLines(rows, bad));
  await publish(1);
  const config = { path: file, external_id: 'id', fields: { ...jsonlFields, identifier: 'mail' } };
  const body = { type: 'jsonl', name: 'Accounts', records: 'account', safeguard, config };
  const connector = await createConnector(tenant, body);
  return { name: 'accounts', connector, rows, publish, line: (row) => accountLine(row.number, row) };
}

async function webFile({ tenant, nth, web }: Place): Promise<ChaosSource> {
  const rows = new Map<string, Row>();
  const path = `/people-${nth}.jsonl`;
  const publish = async (bad: number) => web.put(path, jsonLines(rows, bad));
  await publish(1);
  const config = { url: `${web.url}${path}`, external_id: 'id', fields: jsonlFields };
  const connector = await createConnector(tenant, { type: 'jsonl', name: 'Web', priority: 20, safeguard, config });
  return { name: 'web', connector, rows, publish, line: (row) => userLine(row.number, row) };
}

async function pushed({ tenant }: Place): Promise<ChaosSource> {
  const connector = await createConnector(tenant, {
    type: 'scim-push',
    name: 'IdP',
    priority: 30,
    safeguard,
    config: {},
  });
  const { body } = await tenant.operator.post(`/admin/v1/tenants/${tenant.id}/connectors/${connector}/tokens`, {
    name: 'IdP',
  });
  const client = new Client(`${tenant.operator.url}${body.path}`, { authorization: `Bearer ${body.token}` });
  const provider = new Provider(client);
  const rows = new Map<string, Row>();
  return {
    name: 'push',
    connector,
    rows,
    publish: () => provider.provision(rows),
    line: (row) => userLine(provider.idOf(row.number), row),
  };
}

/** Provisions by SCIM and repeats each unacknowledged request. */
class Provider {
  /** Acknowledged resources by number. */
  private readonly known = new Map<string, { id: string; said: string }>();

  constructor(private readonly client: Client) {}

  idOf(number: string): string {
    return this.known.get(number)?.id ?? 'never acknowledged';
  }

  async provision(rows: Map<string, Row>): Promise<void> {
    for (const [number, { id }] of this.known) {
      if (rows.has(number)) continue;
      await this.ask('DELETE', `/Users/${id}`, undefined, [204, 404]);
      this.known.delete(number);
    }
    for (const row of rows.values()) await this.put(row);
  }

  private async put(row: Row): Promise<void> {
    const body = resourceOf(row);
    const said = JSON.stringify(body);
    const known = this.known.get(row.number);
    if (known?.said === said) return;
    const id = known?.id ?? (await this.find(body.userName));
    const answer =
      id === undefined
        ? await this.ask('POST', '/Users', body, [201])
        : await this.ask('PUT', `/Users/${id}`, body, [200]);
    this.known.set(row.number, { id: answer.id, said });
  }

  /** Finds a resource whose creation was committed although the answer was lost. */
  private async find(userName: string): Promise<string | undefined> {
    const filter = encodeURIComponent(`userName eq "${userName}"`);
    const { Resources } = await this.ask('GET', `/Users?filter=${filter}`, undefined, [200]);
    return Resources[0]?.id;
  }

  private async ask(method: string, path: string, body: unknown, wanted: number[]) {
    const answer = await within(requestMs, this.client.call(method, path, body));
    if (!wanted.includes(answer.status)) throw new Error(`${method} ${path} answered ${answer.status}`);
    return answer.body;
  }
}

function resourceOf({ number, first, last, mail, title }: Row) {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', enterprise],
    userName: `login-${number}`,
    externalId: number,
    name: { givenName: first, familyName: last },
    emails: [{ value: mail, primary: true }],
    title,
    active: true,
    [enterprise]: { employeeNumber: number },
  };
}

/** A web server for files, with the version of each as its ETag. */
export class WebFiles {
  private readonly files = new Map<string, { text: string; version: number }>();
  /** The address for connectors, through a link to `port`. */
  url = '';

  private constructor(private readonly server: Server) {}

  static async start(): Promise<WebFiles> {
    const server = createServer((request, response) => {
      const file = web.files.get(request.url ?? '');
      if (!file) return void response.writeHead(404).end();
      const etag = `"${file.version}"`;
      if (request.headers['if-none-match'] === etag) return void response.writeHead(304, { etag }).end();
      const headers = { etag, 'content-type': 'application/jsonl', 'content-length': Buffer.byteLength(file.text) };
      response.writeHead(200, headers).end(file.text);
    });
    const web = new WebFiles(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return web;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  put(path: string, text: string): void {
    const before = this.files.get(path);
    if (before?.text !== text) this.files.set(path, { text, version: (before?.version ?? 0) + 1 });
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Writes atomically, so that a job never reads halves of two files. */
async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = pause(milliseconds, undefined, { signal: over.signal }).then(() => {
    throw new Error(`no response within ${milliseconds} ms`);
  });
  return Promise.race([work, late]).finally(() => over.abort());
}
