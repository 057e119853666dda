import { encodeId } from '@idsync/contracts';
import { directoryFaults } from '../../apps/directory/test/directory-faults.js';
import { brokenInvariants, endedJobs, wantedPairs } from '../support/delivery-proof.js';
import type { History } from './history.js';
import type { ChaosTenant, Tenants } from './tenants.js';
import type { World } from './world.js';

const pageSize = 200;
/** Maximum number of examples printed per kind of difference. */
const shown = 5;

export interface Verdict {
  /** Events that a subscriber did not accept, and missing people, accounts and jobs. */
  lost: string[];
  /** Changes that were applied twice: in the directory, the history or as a delivery. */
  doubled: string[];
  wrong: string[];
}

interface Shown {
  status: string;
  external_id: string;
  email?: string;
  identifier?: string;
  first_name?: string;
  last_name?: string;
  job_title?: string;
}

interface Identity {
  id: string;
  status: string;
  users: Shown[];
  accounts: Shown[];
}

/** Compares the directory with the sources once all work has ended. */
export async function compare(
  world: World,
  tenants: Tenants,
  histories: ReadonlyMap<string, History>,
): Promise<Verdict> {
  const verdict: Verdict = { lost: [], doubled: [], wrong: [] };
  for (const each of tenants.all) {
    await comparePeople(each, verdict);
    const history = histories.get(each.uuid);
    if (!history) continue;
    await history.follow(world.admin);
    verdict.doubled.push(...history.doubled.slice(0, shown));
    verdict.wrong.push(...(await history.differences(world.admin)).slice(0, shown));
    verdict.wrong.push(...(await directoryFaults(world.admin, each.uuid)).slice(0, shown));
  }
  await compareDeliveries(world, tenants, verdict);
  const known = await endedJobs(world.admin, tenants.jobs);
  if (known !== tenants.jobs.size)
    verdict.lost.push(`${tenants.jobs.size - known} of ${tenants.jobs.size} jobs did not end`);
  for (const [name, rows] of Object.entries(await brokenInvariants(world.admin, world.nodes))) {
    verdict.wrong.push(`${name}: ${JSON.stringify(rows.slice(0, shown))}`);
  }
  return verdict;
}

/** Compares people with their records, one line per person, as the API shows them. */
async function comparePeople({ tenant, sources }: ChaosTenant, verdict: Verdict): Promise<void> {
  const expected = new Map<string, string[]>();
  const users = sources.filter(({ name }) => name !== 'accounts');
  for (const source of users) {
    for (const row of source.rows.values())
      expected.set(row.number, [...(expected.get(row.number) ?? []), source.line(row)]);
  }
  const userLines = [...expected.values()].flat();
  const accounts = sources.find(({ name }) => name === 'accounts');
  for (const row of accounts?.rows.values() ?? []) expected.get(row.number)?.push(accounts?.line(row) ?? '');

  const identities = await list<Identity>(tenant, 'identities');
  const found = identities.map(({ users: has, accounts: owns }) =>
    [...living(has).map((one) => line('user', one)), ...living(owns).map((one) => line('account', one))]
      .sort()
      .join('; '),
  );
  const wanted = [...expected.values()].map((lines) => lines.sort().join('; '));
  differ(`${tenant.id} people`, wanted, found, verdict);
  const listed = (await list<Shown>(tenant, 'users')).map((one) => line('user', one));
  differ(`${tenant.id} users`, userLines, listed, verdict);
  const wrongStatus = identities.filter(({ status }) => status !== 'active');
  for (const { id, status } of wrongStatus.slice(0, shown)) verdict.wrong.push(`${tenant.id}: ${id} is ${status}`);
}

function living(records: readonly Shown[]): Shown[] {
  return records.filter(({ status }) => status !== 'deleted');
}

function line(kind: 'user' | 'account', one: Shown): string {
  const mail = kind === 'user' ? one.email : one.identifier;
  return [kind, one.external_id, mail, one.first_name, one.last_name, one.job_title, one.status].join(' ');
}

function differ(what: string, wanted: readonly string[], found: readonly string[], { lost, doubled }: Verdict): void {
  const left = [...found];
  const missing = wanted.filter((each) => {
    const at = left.indexOf(each);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  if (missing.length > 0) lost.push(...missing.slice(0, shown).map((each) => `${what}: missing: ${each}`));
  if (left.length > 0)
    doubled.push(...left.slice(0, shown).map((each) => `${what}: present, but in no source: ${each}`));
}

/** Returns all pages; throws an error if the total differs from their count. */
async function list<T>(tenant: ChaosTenant['tenant'], what: string): Promise<T[]> {
  const items: T[] = [];
  for (let total = Number.POSITIVE_INFINITY; items.length < total; ) {
    const { status, body } = await tenant.client.get(`/v1/${what}?limit=${pageSize}&offset=${items.length}`);
    if (status !== 200) throw new Error(`${what}: ${status} ${JSON.stringify(body)}`);
    items.push(...body.data);
    total = body.total;
    if (body.data.length === 0 && items.length < total)
      throw new Error(`${what}: ${items.length} listed, ${total} in total`);
  }
  return items;
}

async function compareDeliveries(world: World, { subscribers }: Tenants, verdict: Verdict): Promise<void> {
  const pairs = await wantedPairs(world.admin);
  const missed = pairs.filter(
    ({ webhookId, eventId }) => !subscribers.get(webhookId)?.accepted.has(encodeId('event', eventId)),
  );
  verdict.lost.push(
    ...missed.slice(0, shown).map(({ webhookId, eventId }) => `event ${eventId} never reached webhook ${webhookId}`),
  );
  for (const { wrong } of subscribers.values()) verdict.wrong.push(...wrong.slice(0, shown));
}
