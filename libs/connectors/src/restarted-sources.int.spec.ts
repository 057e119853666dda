import { scimConfig } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { quick } from '../test/conformance/readings.js';
import { startServer } from '../test/http-server.js';
import { haveSlapd, password, peopleLdif, startSlapd, suffix } from '../test/slapd.js';
import { hasMariaDb, restartableMariaDb, restartablePostgres } from '../test/sql-server.js';
import type { Connector } from './connector.js';
import { createConnector } from './create-connector.js';
import { type Outage, readThroughOutages } from './read-through-outages.js';
import { scimConnector } from './scim/scim-connector.js';

const settings = { outageMs: 120_000, firstPauseMs: 50, longestPauseMs: 500, pageTimeoutMs: 120_000 };
const count = 2_000;

if (!haveSlapd) process.stderr.write('Skipped: restart of an OpenLDAP server during a read: slapd is not installed\n');

/** Reads everything. The server stops after the 600th record and starts again when the failure was noticed. */
async function idsThrough(connector: Connector, server: { down(): Promise<void>; up(): Promise<void> }) {
  const ids: string[] = [];
  const noticed: Outage[] = [];
  let isDown = false;
  let up: Promise<void> | undefined;
  const notice = (outage: Outage) => {
    noticed.push(outage);
    up ??= server.up();
  };
  const options = { pageSize: 100, signal: new AbortController().signal };
  for await (const { records } of readThroughOutages(connector, options, settings, { notice })) {
    ids.push(...records.map(({ external_id }) => external_id));
    if (ids.length >= 600 && !isDown) await server.down();
    isDown ||= ids.length >= 600;
  }
  await up;
  expect(noticed.length).toBeGreaterThan(0);
  return ids;
}

function expectEverybodyOnce(ids: readonly string[]): void {
  expect(new Set(ids).size).toBe(count);
  expect(ids).toHaveLength(count);
}

describe('a read during a restart of the source returns every record once', () => {
  (haveSlapd ? it : it.skip)('from a restarted OpenLDAP server', async () => {
    const slapd = await startSlapd(peopleLdif(count));
    try {
      const config = {
        ...{ url: slapd.url, unencrypted: true, bind_dn: `cn=admin,${suffix}`, base_dn: `ou=people,${suffix}` },
        fields: { display_name: 'cn' },
      };
      const connector = createConnector({
        ...{ type: 'ldap', records: 'user', config, secrets: { bind_password: password } },
        ...{ sourcesDir: '/nowhere', allowedCidrs: ['127.0.0.0/8'] },
      });
      expectEverybodyOnce(await idsThrough(connector, slapd));
    } finally {
      await slapd.stop();
    }
  });

  it('from a killed PostgreSQL server', async () => {
    const server = await restartablePostgres(count);
    try {
      expectEverybodyOnce(await idsThrough(server.connector, server));
    } finally {
      await server.remove();
    }
  });

  (hasMariaDb() ? it : it.skip)('from a killed MariaDB server', async () => {
    const server = await restartableMariaDb(count);
    try {
      expectEverybodyOnce(await idsThrough(server.connector, server));
    } finally {
      await server.remove();
    }
  });

  it('from an HTTP service that resets its connections', async () => {
    let away = false;
    const server = await startServer(({ url }) => {
      if (away) return { body: 'lost', cutAfter: 0 };
      const first = Number(url.searchParams.get('startIndex'));
      const items = Math.min(Number(url.searchParams.get('count')), count - first + 1, 100);
      const Resources = Array.from({ length: items }, (_, n) => ({ id: `id${first + n}`, userName: `u${first + n}` }));
      return { body: { totalResults: count, startIndex: first, itemsPerPage: items, Resources } };
    });
    try {
      const config = scimConfig.parse({ url: server.origin, fields: { user_principal_name: 'userName' } });
      const access = { secrets: { token: 'a-token-of-ours' }, allowedCidrs: ['127.0.0.0/8'], limits: quick };
      const connector = scimConnector('user', config, access);
      const set = (now: boolean) => async () => {
        away = now;
      };
      expectEverybodyOnce(await idsThrough(connector, { down: set(true), up: set(false) }));
    } finally {
      await server.close();
    }
  });
});
