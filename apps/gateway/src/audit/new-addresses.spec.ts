import { encodeId, newUuid } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import type { AuditInput } from '@idsync/database/gateway';
import { silentLogger } from '@idsync/runtime';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AuditLog } from './audit-log.service.js';
import { NewAddresses } from './new-addresses.service.js';

const [keyId, tenantId, brokenTenant] = [newUuid(), newUuid(), newUuid()];
let entries: (AuditInput & { chain: string })[];
let warnings: number;
let addresses: NewAddresses;

beforeEach(() => {
  entries = [];
  warnings = 0;
  const record = async (chain: string, input: AuditInput) => {
    if (chain === brokenTenant) throw new Error('the database is away');
    entries.push({ chain, ...input });
  };
  const audit = { record } as Partial<AuditLog> as AuditLog;
  const database = { transaction: () => Promise.reject(new Error('the database is away')) } as object as Database;
  addresses = new NewAddresses(database, audit, {
    ...silentLogger,
    warn: () => {
      warnings += 1;
    },
  });
});

const used = (chain: string, ...list: string[]) => ({ holder: { keyId, tenantId: chain }, addresses: new Set(list) });

describe('the addresses from which a key was refused', () => {
  it('are recorded once for each network, in the chain of the tenant', async () => {
    await addresses.recordRefused([used(tenantId, '192.0.2.1', '2001:db8::1', '2001:db8::2')]);
    const id = encodeId('apiKey', keyId);
    expect(entries.map(({ chain, address, actor, resource }) => ({ chain, address, actor, resource }))).toEqual(
      ['192.0.2.1', '2001:db8:0:0::/64'].map((address) => ({
        chain: tenantId,
        address,
        actor: { kind: 'api_key', id, name: id },
        resource: id,
      })),
    );
    expect(warnings).toBe(0);
  });

  it('of other keys are recorded if those of one cannot be', async () => {
    await addresses.recordRefused([used(brokenTenant, '192.0.2.1'), used(tenantId, '192.0.2.2')]);
    expect(entries.map(({ address }) => address)).toEqual(['192.0.2.2']);
    expect(warnings).toBe(1);
  });
});

describe('the addresses from which a key was used', () => {
  it('cause no transaction if there are none, and no failure if they cannot be stored', async () => {
    await addresses.record([used(tenantId)]);
    expect(warnings).toBe(0);
    await addresses.record([used(tenantId, '192.0.2.1'), used(tenantId, '192.0.2.2')]);
    expect(warnings).toBe(2);
  });
});
