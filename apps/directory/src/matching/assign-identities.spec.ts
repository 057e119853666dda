import { describe, expect, it } from '@jest/globals';
import { assignIdentities } from './assign-identities.js';
import type { Cluster, Person } from './cluster.js';
import { partitionPeople } from './partition-people.js';

const [older, newer] = ['identity-b', 'identity-a'];
const identities = new Map([
  [older, { id: older, createdAt: new Date('2026-01-01') }],
  [newer, { id: newer, createdAt: new Date('2026-01-02') }],
]);

function person(recordId: string, identityId?: string, more: Partial<Person> = {}): Person {
  return {
    recordId,
    connectorId: recordId,
    gone: false,
    status: 'active',
    isEmployment: false,
    statusRank: 1,
    formerKeys: [],
    name: [],
    linkStrength: 'loose',
    keys: [],
    identityId,
    ...more,
  };
}

/** One person with these records. */
function cluster(...members: Person[]): Cluster {
  const joined = members.map((each) => ({ ...each, keys: [{ kind: 'email' as const, value: 'a' }] }));
  const [only, ...others] = partitionPeople(joined).clusters;
  if (!only || others.length > 0) throw new Error('the records are not one person');
  return only;
}

function assign(...clusters: Cluster[]): string[] {
  return assignIdentities(clusters, identities, (ids) => `new of ${ids.join()}`).map(({ identityId }) =>
    identities.has(identityId) ? identityId : `${identityId}, new`,
  );
}

describe('the identity of a person', () => {
  it('is new without a link, and for links to identities that no longer exist', () => {
    expect(assign(cluster(person('r1'), person('r2', 'gone')))).toEqual(['new of r1,r2, new']);
    expect(assign(cluster(person('r1'), person('r2', older)))).toEqual([older]);
  });

  it('is the one from before the running job, if that still exists', () => {
    const moved = (recordId: string, keptIdentityId: string) => person(recordId, older, { keptIdentityId });
    expect(assign(cluster(moved('r1', newer)), cluster(moved('r2', older)))).toEqual([newer, older]);
    expect(assign(cluster(moved('r1', 'gone')))).toEqual([older]);
    expect(assign(cluster(moved('r1', 'gone')), cluster(moved('r2', older)))).toEqual(['new of r1, new', older]);
  });

  it('is the oldest that its records are linked to, then the one with the lower id', () => {
    expect(assign(cluster(person('r1', newer), person('r2', older)))).toEqual([older]);
    const same = new Map([...identities].map(([id, each]) => [id, { ...each, createdAt: new Date(0) }]));
    const people = [cluster(person('r1', older), person('r2', newer))];
    const [assigned] = assignIdentities(people, same, () => 'new');
    expect(assigned?.identityId).toBe(newer);
  });

  it('is the manually linked one, even if another is older or it no longer exists', () => {
    const manual = { linkStrength: 'manual' as const };
    expect(assign(cluster(person('r1', older), person('r2', newer, manual)))).toEqual([newer]);
    expect(assign(cluster(person('r1', undefined), person('r2', 'gone', manual)))).toEqual(['gone, new']);
    expect(assign(cluster(person('r1', older), person('r2', 'of a split', manual)))).toEqual(['of a split, new']);
  });

  it('remains with the oldest record if several people claim it', () => {
    const [first, second] = [cluster(person('r2', older)), cluster(person('r1', older), person('r4'))];
    expect(assign(first, second)).toEqual(['new of r2, new', older]);
    expect(assign(second, first)).toEqual([older, 'new of r2, new']);
  });

  it('goes to the manually linked record if several people claim it', () => {
    const manual = cluster(person('r3', older, { linkStrength: 'manual' }));
    expect(assign(cluster(person('r1', older)), manual)).toEqual(['new of r1, new', older]);
  });
});
