import { describe, expect, it } from '@jest/globals';
import { CheckpointExpired } from '../connector.js';
import { Clock, changedSince, readCheckpoint } from './changes.js';
import type { DirectoryServer } from './directory-server.js';
import type { LdapEntry } from './ldap-messages.js';

const seen = (time: string): LdapEntry => ({
  dn: '',
  names: [],
  values: new Map([['modifytimestamp', [Buffer.from(time)]]]),
});
const openLdap: DirectoryServer = { kind: 'ldap', contextOf: () => undefined, now: new Date(0) };
const replica = { invocationId: 'aa', highestUsn: 100n };
const controller: DirectoryServer = { ...openLdap, kind: 'active_directory', replica };

describe('the checkpoint time of an LDAP directory', () => {
  it('is earlier than the newest change by the overlap, which covers at least the current second', () => {
    const clock = new Clock();
    for (const time of ['20260101000000Z', '20260101000100.5Z', '20251231235959Z', 'nonsense'])
      clock.record(seen(time));
    const newest = Date.UTC(2026, 0, 1, 0, 1) / 1_000;
    const checkpoint = clock.checkpoint(30, undefined) ?? 0;
    expect(checkpoint).toBeLessThan(newest - 30);
    expect(checkpoint).toBeGreaterThan(newest - 3_600);
  });

  it('never decreases and stays the same when no entry was read', () => {
    const clock = new Clock();
    expect([clock.checkpoint(30, undefined), clock.checkpoint(30, 77)]).toEqual([undefined, 77]);
    clock.record(seen('19700101000100Z'));
    expect(clock.checkpoint(30, 4_000)).toBe(4_000);
  });
});

describe('the LDAP filter for changes since a checkpoint', () => {
  it('compares the modification time or the next update sequence number', () => {
    const time = Date.UTC(2026, 1, 3, 4, 5, 6) / 1_000;
    expect(changedSince({ config: 'c', changed: time }, 'c', openLdap).toString()).toBe(
      '(modifyTimestamp>=20260203040506Z)',
    );
    expect(changedSince({ config: 'c', invocation: 'aa', usn: '100' }, 'c', controller).toString()).toBe(
      '(uSNChanged>=101)',
    );
  });

  it.each([
    ['a changed configuration', { config: 'd', changed: 1 }, openLdap],
    ['no modification time', { config: 'c' }, openLdap],
    ['another domain controller', { config: 'c', invocation: 'bb', usn: '7' }, controller],
    ['a domain controller that was rolled back', { config: 'c', invocation: 'aa', usn: '101' }, controller],
    [
      'a domain controller without replica information',
      { config: 'c', invocation: 'aa', usn: '7' },
      { ...controller, replica: undefined },
    ],
    ['another kind of directory', { config: 'c', changed: 1 }, controller],
  ])('throws CheckpointExpired for %s', (_, since, server) => {
    expect(() => changedSince(since, 'c', server as DirectoryServer)).toThrow(CheckpointExpired);
  });

  it('throws CheckpointExpired for an invalid checkpoint', () => {
    expect(() => readCheckpoint({ config: 'c', usn: 'many' })).toThrow(CheckpointExpired);
  });
});
