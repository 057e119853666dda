import type { Connector, Page } from '@idsync/connectors';
import { newUuid, type RecordKind } from '@idsync/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SyncFixture } from '../test/sync-fixture.js';
import { claimJob } from './claim-job.js';
import { RunControl } from './run-control.js';
import { runJob } from './run-job.js';

const service = (external_id: string): Page['records'][number] => ({ external_id, fields: {}, looksLikeMachine: true });

let fixture: SyncFixture;
let tenantId: string;
let people: string;
let logins: string;
let machines: string;

beforeAll(async () => {
  fixture = await SyncFixture.create();
});

beforeEach(async () => {
  tenantId = await fixture.rows.tenant();
  const connector = async (records: RecordKind, type = 'ldap') => {
    const id = await fixture.rows.connector(tenantId, { records, name: records });
    await fixture.rows.rows('update connectors set type = $2 where id = $1', [id, type]);
    return id;
  };
  people = await connector('user');
  logins = await connector('account');
  machines = await connector('machine_identity');
});

afterAll(() => fixture?.close());

/** Stores a known record; `gone` if its source no longer lists it. */
async function know(connectorId: string, kind: RecordKind, externalId: string, gone = false): Promise<void> {
  const deleted = kind === 'machine_identity' ? 'decommissioned' : 'deleted';
  await fixture.rows.rows(
    `insert into source_records (id, tenant_id, kind, connector_id, external_id, status, content_hash, fields, changed_at,
                                 created_at, updated_at, document, last_job_id, last_seq, status_since)
     values ($1, $2, $3, $4, $5, $6, $7, '{}', '{}', now(), now(), '{}', $1, 0, now())`,
    [newUuid(), tenantId, kind, connectorId, externalId, gone ? deleted : 'active', Buffer.from(gone ? '' : 'x')],
  );
}

async function run(connectorId: string, records: Page['records'][number][]): Promise<string[]> {
  const source = {
    async *read() {
      yield { records, errors: [], cursor: {}, last: true };
    },
  } as never as Connector;
  const claimed = await claimJob(fixture.context(source), await fixture.queue(tenantId, connectorId));
  if (!claimed) throw new Error('not claimed');
  await runJob(fixture.context(source), claimed, new RunControl());
  for (const message of await fixture.announced()) await fixture.apply(message);
  return fixture.applied.splice(0);
}

describe('a record that looks like a machine', () => {
  it('is left out of people and accounts, and is a machine, if it is not known', async () => {
    const records = [service('new'), { external_id: 'ann', fields: {} }];
    expect(await run(people, records)).toEqual(['ann']);
    expect(await run(logins, records)).toEqual(['ann']);
    expect(await run(machines, [service('new')])).toEqual(['new']);
  });

  it('stays the known person or account, and is no machine beside it', async () => {
    await know(people, 'user', 'ann');
    await know(logins, 'account', 'bob');
    expect(await run(people, [service('ann')])).toEqual(['ann']);
    expect(await run(logins, [service('bob')])).toEqual(['bob']);
    expect(await run(machines, [service('ann'), service('bob'), service('new')])).toEqual(['new']);
  });

  it('stays a known machine, and is no person', async () => {
    await know(machines, 'machine_identity', 'svc');
    expect(await run(machines, [service('svc')])).toEqual(['svc']);
    expect(await run(people, [service('svc'), { external_id: 'ann', fields: {} }])).toEqual(['ann']);
  });

  it('is a machine if the person was deleted, or is known to another type of source only', async () => {
    await know(people, 'user', 'ann', true);
    const hr = await fixture.rows.connector(tenantId, { name: 'HR' });
    await know(hr, 'user', 'bob');
    expect(await run(people, [service('ann'), { external_id: 'cy', fields: {} }])).toEqual(['cy']);
    expect(await run(machines, [service('ann'), service('bob')])).toEqual(['ann', 'bob']);
  });
});
