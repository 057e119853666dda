import { encodeId, newUuid } from '@idsync/contracts';
import type { AuditInput } from '@idsync/database/gateway';
import { silentLogger } from '@idsync/runtime';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AuditLog } from './audit-log.service.js';
import { RefusedAddresses } from './refused-addresses.service.js';

const [keyId, tenantId, brokenTenant] = [newUuid(), newUuid(), newUuid()];
let entries: (AuditInput & { chain: string })[];
let warnings: number;
let addresses: RefusedAddresses;

beforeEach(() => {
  entries = [];
  warnings = 0;
  const record = async (chain: string, input: AuditInput) => {
    if (chain === brokenTenant) throw new Error('the database is away');
    entries.push({ chain, ...input });
  };
  const audit = { record } as Partial<AuditLog> as AuditLog;
  addresses = new RefusedAddresses(audit, {
    ...silentLogger,
    warn: () => {
      warnings += 1;
    },
  });
});

const refused = (chain: string, ...list: string[]) => ({
  holder: { keyId, tenantId: chain },
  addresses: new Set(list),
});

describe('the addresses from which a key was refused', () => {
  it('are recorded once for each network, in the chain of the tenant', async () => {
    await addresses.record([refused(tenantId, '192.0.2.1', '2001:db8::1', '2001:db8::2')]);
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
    await addresses.record([refused(brokenTenant, '192.0.2.1'), refused(tenantId, '192.0.2.2')]);
    expect(entries.map(({ address }) => address)).toEqual(['192.0.2.2']);
    expect(warnings).toBe(1);
  });
});
