import { ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { acquireRelayLease, releaseRelayLease } from './outbox-relay.js';

let own: ServiceDatabase;

beforeAll(async () => {
  own = await ServiceDatabase.start('directory');
});

afterAll(() => own?.close());

describe('the lease of a relay', () => {
  it('is held by one relay until that one releases it, and has a higher token for each new owner', async () => {
    const { database } = own;
    expect(await acquireRelayLease(database, 'one')).toBe(1);
    expect(await acquireRelayLease(database, 'one')).toBe(1);
    expect(await acquireRelayLease(database, 'two')).toBeUndefined();
    await releaseRelayLease(database, 'two');
    expect(await acquireRelayLease(database, 'two')).toBeUndefined();
    await releaseRelayLease(database, 'one');
    expect(await acquireRelayLease(database, 'two')).toBe(2);
  });
});
