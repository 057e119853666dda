import type { Membership } from '@idsync/contracts';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type Asked, entry, fakeDirectory, result } from '../../test/fake-directory.js';
import { read } from '../../test/reading.js';
import { createConnector } from '../create-connector.js';

const domain = 'DC=example,DC=test';
const ann = `CN=ann,OU=People,${domain}`;
const guid = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
/** The SID of the domain with a relative id: 21, three numbers of the domain, and the id. */
const sid = (id: number) => {
  const bytes = Buffer.from('010500000000000515000000010000000200000003000000ffffffff', 'hex');
  bytes.writeUInt32LE(id, bytes.length - 4);
  return bytes;
};
const groups = [
  // This account may not read its key.
  { dn: `CN=Domain Users,CN=Users,${domain}`, sid: sid(513), memberOf: [`CN=Users,CN=Builtin,${domain}`] },
  { dn: `CN=Staff,${domain}`, sid: sid(1_105), memberOf: [], objectGUID: [Buffer.alloc(16, 1)] },
  { dn: `CN=Users,CN=Builtin,${domain}`, sid: sid(545), memberOf: [] },
];
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A domain controller with one person, whose groups may be others when the entry is read again. */
async function groupsOf(
  person: { primaryGroupID?: string; memberOf?: string[]; memberOfAgain?: string[] },
  config: Record<string, unknown> = {},
): Promise<{ found: string[] | undefined; memberships: Membership[] | undefined; searches: Asked[] }> {
  const searches: Asked[] = [];
  const answer = (asked: Asked): Buffer[] => {
    const done = result(asked, 0, { cookie: '' });
    if (asked.kind !== 'search') return [result(asked, 0)];
    if (asked.base === '') {
      const root = { supportedCapabilities: ['1.2.840.113556.1.4.800'], namingContexts: [domain] };
      return [entry(asked, '', root), done];
    }
    const parent = groups.find(({ dn }) => dn === asked.base);
    const keyOf = ({ objectGUID }: (typeof groups)[number]) => objectGUID && { objectGUID };
    if (parent) return [entry(asked, parent.dn, { memberOf: parent.memberOf, ...keyOf(parent) }), done];
    // Lists of groups have the base of the naming context.
    if (asked.base === domain && asked.cookie !== undefined) return [done];
    if (asked.base === domain) {
      searches.push(asked);
      const byMember = Buffer.from('member').toString('hex');
      const hits = groups.filter(
        (group) =>
          asked.filter.includes(group.sid.toString('hex')) ||
          (asked.filter.includes(byMember) && person.memberOf?.includes(group.dn)),
      );
      return [...hits.map((hit) => entry(asked, hit.dn, { ...keyOf(hit) })), done];
    }
    if (![ann, `OU=People,${domain}`].includes(asked.base)) return [result(asked, 32)];
    const memberOf = (asked.base === ann && person.memberOfAgain) || person.memberOf;
    const values = {
      objectGUID: [guid],
      objectSid: [sid(1_200)],
      ...(person.primaryGroupID && { primaryGroupID: [person.primaryGroupID] }),
      ...(memberOf && { memberOf }),
    };
    return [entry(asked, ann, values), done];
  };
  const { url, stop } = await fakeDirectory(answer);
  stops.push(stop);
  const connector = createConnector({
    type: 'ldap',
    records: 'user',
    config: { url, unencrypted: true, base_dn: `OU=People,${domain}`, fields: { groups: '@groups' }, ...config },
    secrets: {},
    sourcesDir: '/nowhere',
    allowedCidrs: ['127.0.0.1/32'],
  });
  const { records } = await read(connector);
  return { found: records[0]?.fields.groups, memberships: records[0]?.memberships, searches };
}

const staff = `CN=Staff,${domain}`;
const users = `CN=Domain Users,CN=Users,${domain}`;

describe('the primary group of Active Directory', () => {
  it.each<[string, Record<string, unknown>]>([
    ['listed by memberOf', {}],
    ['found by a search', { groups: { filter: '(objectClass=group)' } }],
    ['shown as DNs', { groups: { named_by: 'dn' } }],
  ])('makes no change of the groups %s if it is exchanged with another group', async (_, config) => {
    const before = await groupsOf({ primaryGroupID: '513', memberOf: [staff] }, config);
    const after = await groupsOf({ primaryGroupID: '1105', memberOf: [users] }, config);
    expect(before.found).toHaveLength(2);
    expect(after.found).toEqual(before.found);
  });

  it('includes the groups that contain it if nested groups are included', async () => {
    const { found } = await groupsOf({ primaryGroupID: '513' }, { groups: { nested: true } });
    expect(found).toEqual(['Domain Users', 'Users']);
  });

  it.each([undefined, '4711', 'none', '-5'])('is no group if its id is %s', async (primaryGroupID) => {
    const { found } = await groupsOf({ memberOf: [staff], ...(primaryGroupID && { primaryGroupID }) });
    expect(found).toEqual(['Staff']);
  });
});

describe('the key of a group', () => {
  it.each<[string, Record<string, unknown>]>([
    ['listed by memberOf', {}],
    ['found by a search', { groups: { filter: '(objectClass=group)' } }],
  ])('%s is its GUID, or its DN if it has none', async (_, config) => {
    const { memberships } = await groupsOf({ primaryGroupID: '513', memberOf: [staff] }, config);
    expect(memberships).toEqual([
      { id: users, name: 'Domain Users' },
      { id: '01010101-0101-0101-0101-010101010101', name: 'Staff' },
    ]);
  });

  it('is read by its new DN if it was renamed after the entry was read', async () => {
    const { memberships } = await groupsOf({ memberOf: [`CN=Former,${domain}`], memberOfAgain: [staff] });
    expect(memberships).toEqual([{ id: '01010101-0101-0101-0101-010101010101', name: 'Staff' }]);
  });

  it('is its DN if it is not visible', async () => {
    const hidden = `CN=Hidden,${domain}`;
    const { memberships } = await groupsOf({ memberOf: [hidden, staff] });
    expect(memberships).toEqual([
      { id: hidden, name: 'Hidden' },
      { id: '01010101-0101-0101-0101-010101010101', name: 'Staff' },
    ]);
  });
});
