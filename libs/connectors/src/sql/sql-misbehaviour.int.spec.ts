import { TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { names, readAll } from '../../test/source-fixture.js';
import {
  connectorFor,
  eachDatabase,
  hasMariaDb,
  mariaDbServer,
  type SqlServer,
  serverOf,
} from '../../test/sql-server.js';
import { forward, TcpServer } from '../../test/tcp-server.js';
import { makeCertificate } from '../../test/tls-certificate.js';
import { type Page, SourceError } from '../connector.js';

const certificate = makeCertificate('localhost');
if (!certificate) process.stderr.write('Skipped: TLS of the SQL connector: openssl is not installed\n');
afterAll(() => certificate?.remove());

const tls = certificate ? [`--ssl-cert=${certificate.certFile}`, `--ssl-key=${certificate.keyFile}`] : [];

let tcp: TcpServer | undefined;
afterEach(async () => {
  await tcp?.close();
  tcp = undefined;
});

eachDatabase(describe)('a misbehaving source in %s', (system) => {
  const dialect = system === 'MariaDB' ? 'mysql' : 'postgres';
  const ids = Array.from({ length: 40 }, (_, index) => String(index + 1));
  // Long names, so that most of the response consists of rows.
  const all = ids.map((id) => [id, `name ${id}`.padEnd(200, '.')]);
  let server: SqlServer;
  beforeAll(async () => {
    server = await serverOf(system, tls);
    await server.run(`create table staff (id integer primary key, name ${server.types.text})`);
    for (const [id, name] of all) await server.run('insert into staff values (?, ?)', [id, name]);
    await server.run('create table touched (who integer)');
    await server.run(
      dialect === 'mysql'
        ? "create function touch(who int) returns text begin insert into touched values (who); return 'x'; end"
        : `create function touch(who int) returns text language plpgsql volatile security definer as
             $$ begin insert into touched values (who); return 'x'; end $$`,
    );
    await server.run('create view touching as select id, touch(id) as name from staff');
    const pause = dialect === 'mysql' ? 'sleep(100)' : 'pg_sleep(100)::text';
    await server.run(`create view slow as select id, ${pause} as name from staff`);
  });
  afterAll(() => server?.close());
  const untouched = async () => {
    expect(names((await readAll(server.connector({ table: 'staff' }))).records)).toEqual(all);
    expect(await server.rows('select * from touched')).toEqual([]);
  };

  it.each([
    ['a function that writes', 'select id, touch(id) as name from staff'],
    ['a lock', 'select id, name from staff for update'],
    [
      'a query that closes the parenthesis',
      'select id, name from staff) as source; delete from staff; select 1 from (select 1',
    ],
    [
      'a query that closes the parenthesis within one statement',
      'select id, name from staff) as source union select 1, touch(1) from (select 1',
    ],
    ['a query that writes a file', "select 1 as id, 'x' as name) as source into outfile '/tmp/idsync-outfile' -- "],
    ['a DELETE within WITH', 'with gone as (delete from staff returning id, name) select * from gone'],
    ['several statements', 'select id, name from staff; delete from staff where id > 0'],
    ['a query that ends the transaction', 'select id, name from staff; commit; delete from staff where id > 0'],
  ])('is not changed by its query: %s', async (_, query) => {
    await expect(readAll(server.connector({ query }))).rejects.toThrow(SourceError);
    await untouched();
  });

  it('is not changed by a view with a writing function', async () => {
    await expect(readAll(server.connector({ table: 'touching' }))).rejects.toThrow(/read[- ]only/i);
    await untouched();
  });

  it('cannot be made writable by a function', async () => {
    if (dialect === 'mysql') {
      const body = "set session tx_read_only = 0; insert into touched values (who); return 'x'";
      await server.run(`create function wilful(who int) returns text begin ${body}; end`);
    }
    await server.run(
      dialect === 'mysql'
        ? 'create view wilfully as select id, wilful(id) as name from staff'
        : `create view wilfully as
             select id, set_config('transaction_read_only', 'off', true) || touch(id) as name from staff`,
    );
    await expect(readAll(server.connector({ table: 'wilfully' }))).rejects.toThrow(/read[- ]only|read-write/i);
    await untouched();
  });

  it.each([
    ['delete from staff'],
    ['call touch(1)'],
    ['explain select 1'],
    ['/* select */ drop table staff'],
    ['select 1;'],
  ])('is rejected without a connection: %s', (query) => {
    expect(() => server.connector({ query })).toThrow(SourceError);
  });

  it('fails after the timeout of a page', async () => {
    await expect(readAll(server.connector({ table: 'slow', timeout_seconds: 1 }))).rejects.toThrow(
      /; the limit is 1 s per page: is the key indexed\?$/,
    );
  });

  it('throws the abort reason immediately', async () => {
    const connecting = await TcpServer.start(() => {});
    for (const config of [{ table: 'slow' }, { table: 'staff', port: connecting.port }]) {
      const abort = new AbortController();
      const pages = server.connector(config).read({ pageSize: 9, signal: abort.signal })[Symbol.asyncIterator]();
      const reading = pages.next();
      setTimeout(() => abort.abort(new Error('enough')), 300);
      await expect(reading).rejects.toThrow('enough');
    }
    await connecting.close();
    const signal = AbortSignal.abort(new Error('before it began'));
    const read = server.connector({ table: 'staff' }).read({ pageSize: 9, signal })[Symbol.asyncIterator]();
    await expect(read.next()).rejects.toThrow('before it began');
  });

  it('fails when the server does not respond or uses another protocol', async () => {
    tcp = await TcpServer.start(() => {});
    const config = { table: 'staff', port: tcp.port, timeout_seconds: 1 };
    await expect(readAll(server.connector(config))).rejects.toThrow('no response within 1 s');
    await tcp.close();
    tcp = await TcpServer.start((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await expect(readAll(server.connector({ ...config, port: tcp.port }))).rejects.toThrow(SourceError);
  });

  it('is read completely when the connection is lost between two pages', async () => {
    const pages: Page[] = [];
    const signal = new AbortController().signal;
    for await (const page of server.connector({ table: 'staff' }).read({ pageSize: 9, signal })) {
      pages.push(page);
      if (dialect === 'mysql') {
        const found = await server.rows("select id from information_schema.processlist where user = 'reader'");
        for (const [id] of found) await server.run(`kill ${id}`).catch(() => {});
      } else {
        await server.run(
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'idsync'",
        );
      }
    }
    expect(names(pages.flatMap((page) => page.records))).toEqual(all);
    expect(pages.at(-1)?.last).toBe(true);
  });

  it('never reports a complete read without all rows when the connection is cut', async () => {
    let bytes = 0;
    let cutAt = Number.POSITIVE_INFINITY;
    let onlyFirst = true;
    tcp = await TcpServer.start((socket, number) => {
      const cut = onlyFirst && number > first ? Number.POSITIVE_INFINITY : cutAt;
      forward(socket, server.port, cut, (passed) => {
        bytes += passed;
      });
      connections = number + 1;
    });
    let first = 0;
    let connections = 0;
    const connector = server.connector({ table: 'staff', port: tcp.port });
    expect(names((await readAll(connector, 15)).records)).toEqual(all);
    const whole = bytes;
    for (const share of [0.1, 0.6, 0.8, 0.95]) {
      cutAt = Math.floor(whole * share);
      first = connections;
      expect(names((await readAll(connector, 15)).records)).toEqual(all);
    }
    bytes = 0;
    cutAt = Number.POSITIVE_INFINITY;
    expect(names((await readAll(connector)).records)).toEqual(all);
    onlyFirst = false;
    cutAt = Math.floor(bytes / 2);
    const pages: Page[] = [];
    const reading = (async () => {
      const { signal } = new AbortController();
      for await (const page of connector.read({ pageSize: 1_000, signal })) pages.push(page);
    })();
    await expect(reading).rejects.toThrow(SourceError);
    expect(pages).toEqual([]);
  });

  it('is not called at an address or port that is not allowed', async () => {
    for (const host of ['127.0.0.1', 'localhost', '169.254.169.254', '10.0.0.1', '[::1]', '0x7f.1']) {
      const config = { dialect, host, port: server.port, database: 'd', user: 'u', table: 't' };
      await expect(readAll(connectorFor(config, 'password', []))).rejects.toThrow(
        /is not a public address|has no address/,
      );
    }
    const mail = { dialect, host: '127.0.0.1', port: 25, database: 'd', user: 'u', table: 't' };
    await expect(readAll(connectorFor(mail))).rejects.toThrow(new SourceError('port 25 is not allowed for a database'));
  });

  it('is reported with its address and without secrets when it is unreachable', async () => {
    tcp = await TcpServer.start(() => {});
    const { port } = tcp;
    await tcp.close();
    const config = { dialect, host: '127.0.0.1', port, database: 'd', user: 'u', table: 't' };
    const error: Error = await readAll(connectorFor(config, 'hunter2')).catch((failure) => failure);
    expect(error).toBeInstanceOf(SourceError);
    expect(error.message).toMatch(new RegExp(`^(PostgreSQL|MySQL) at 127.0.0.1:${port}: .*ECONNREFUSED`));
  });

  (certificate ? it : it.skip)('is read over TLS with verification of the certificate', async () => {
    const { cert = '', key = '' } = certificate ?? {};
    tcp = await TcpServer.start((socket) => {
      if (dialect === 'mysql') return forward(socket, server.port);
      // PostgreSQL's TLS request and its acceptance.
      socket.once('data', () => {
        socket.pause();
        socket.write('S');
        forward(new TLSSocket(socket, { isServer: true, cert, key }), server.port);
      });
    });
    const at = (config: object) => server.connector({ table: 'staff', port: tcp?.port, host: 'localhost', ...config });
    expect(names((await readAll(at({ ssl: 'verify', ca: cert }))).records)).toEqual(all);
    expect(names((await readAll(at({ ssl: 'verify_ca', ca: cert, host: '127.0.0.1' }))).records)).toEqual(all);
    await expect(readAll(at({ ssl: 'verify', ca: cert, host: '127.0.0.1' }))).rejects.toThrow(SourceError);
    await expect(readAll(at({ ssl: 'verify' }))).rejects.toMatchObject({
      code: 'tls_failed',
      message: expect.stringContaining('TLS failed'),
      said: expect.stringContaining('self-signed'),
    });
    const other = makeCertificate('localhost');
    await expect(readAll(at({ ssl: 'verify_ca', ca: other?.cert }))).rejects.toThrow(SourceError);
    await other?.remove();
  });
});

describe('a fake PostgreSQL server', () => {
  const config = { dialect: 'postgres', host: '127.0.0.1', database: 'd', user: 'u', table: 't' };
  const message = (type: string, body: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(body.length + 4);
    return Buffer.concat([Buffer.from(type), length, body]);
  };

  it('cannot expose the password by an echo', async () => {
    const answers = (error: (password: string) => string) =>
      TcpServer.start((socket) => {
        socket.once('data', () => {
          socket.write(message('R', Buffer.from([0, 0, 0, 3])));
          socket.once('data', (answer) => {
            socket.write(message('E', Buffer.from(error(answer.subarray(5, -1).toString()))));
          });
        });
      });
    tcp = await answers((password) => `SFATAL\0C28P01\0Mdo you mean "${password}"?\0\0`);
    const refused = readAll(connectorFor({ ...config, port: tcp.port }, 'hunter2-secret'));
    await expect(refused).rejects.toMatchObject({
      code: 'auth_failed',
      message: `PostgreSQL at 127.0.0.1:${tcp.port}: the user or password was rejected (28P01)`,
      said: 'do you mean "***"?',
    });
    await tcp.close();
    tcp = await answers((password) => `SFATAL\0C${password}\0Modd\0\0`);
    await expect(readAll(connectorFor({ ...config, port: tcp.port }, 'HUNTER_OF_OURS'))).rejects.toMatchObject({
      message: `PostgreSQL at 127.0.0.1:${tcp.port}: the server returned an error`,
    });
  });

  it('receives no unencrypted data if TLS is required', async () => {
    const heard: Buffer[] = [];
    tcp = await TcpServer.start((socket) => {
      socket.on('data', (chunk) => heard.push(chunk));
      socket.once('data', () => socket.write('N'));
    });
    await expect(readAll(connectorFor({ ...config, ssl: 'verify', port: tcp.port }, 'hunter2'))).rejects.toThrow(
      SourceError,
    );
    expect(Buffer.concat(heard)).toHaveLength(8);
  });
});

(hasMariaDb() ? describe : describe.skip)('a MariaDB source', () => {
  it('reports a wrong password without exposing it', async () => {
    const server = await mariaDbServer();
    const config = {
      dialect: 'mysql',
      host: '127.0.0.1',
      port: server.port,
      database: 'people',
      user: 'reader',
      table: 't',
    };
    await expect(readAll(connectorFor(config, 'hunter2-secret'))).rejects.toMatchObject({
      code: 'auth_failed',
      message: `MySQL at 127.0.0.1:${server.port}: the user or password was rejected (1045)`,
      said: "Access denied for user 'reader'@'127.0.0.1' (using password: YES)",
    });
    await server.close();
  });
});
