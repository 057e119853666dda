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

describe('the time up to which changes are known', () => {
  it('is before the newest that was seen, by the overlap and at least the second that is not over', () => {
    const clock = new Clock();
    for (const time of ['20260101000000Z', '20260101000100.5Z', '20251231235959Z', 'nonsense']) clock.see(seen(time));
    const newest = Date.UTC(2026, 0, 1, 0, 1) / 1_000;
    const told = clock.checkpoint(30, undefined) ?? 0;
    expect(told).toBeLessThan(newest - 30);
    expect(told).toBeGreaterThan(newest - 3_600);
  });

  it('never goes back, and stays where nothing was seen', () => {
    const clock = new Clock();
    expect([clock.checkpoint(30, undefined), clock.checkpoint(30, 77)]).toEqual([undefined, 77]);
    clock.see(seen('19700101000100Z'));
    expect(clock.checkpoint(30, 4_000)).toBe(4_000);
  });
});

describe('what has changed since a checkpoint', () => {
  it('is asked for by time, or by the number that comes next', () => {
    const time = Date.UTC(2026, 1, 3, 4, 5, 6) / 1_000;
    expect(changedSince({ config: 'c', changed: time }, 'c', openLdap).toString()).toBe(
      '(modifyTimestamp>=20260203040506Z)',
    );
    expect(changedSince({ config: 'c', invocation: 'aa', usn: '100' }, 'c', controller).toString()).toBe(
      '(uSNChanged>=101)',
    );
  });

  it.each([
    ['another configuration', { config: 'd', changed: 1 }, openLdap],
    ['no time', { config: 'c' }, openLdap],
    ['another controller', { config: 'c', invocation: 'bb', usn: '7' }, controller],
    ['a controller that has forgotten', { config: 'c', invocation: 'aa', usn: '101' }, controller],
    [
      'a controller that does not tell',
      { config: 'c', invocation: 'aa', usn: '7' },
      { ...controller, replica: undefined },
    ],
    ['another kind of directory', { config: 'c', changed: 1 }, controller],
  ])('cannot be told with %s', (_, since, server) => {
    expect(() => changedSince(since, 'c', server as DirectoryServer)).toThrow(CheckpointExpired);
  });

  it('cannot be told of a checkpoint that is none', () => {
    expect(() => readCheckpoint({ config: 'c', usn: 'many' })).toThrow(CheckpointExpired);
  });
});
