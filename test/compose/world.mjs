// A tenant with its sources and a webhook receiver, and the expected results of its syncs.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from './client.mjs';
import { Ledger } from './ledger.mjs';
import { People } from './people.mjs';
import { say } from './say.mjs';

export class World {
  static async create(stack) {
    const people = new People(stack.folder, 2_000);
    await people.change({});
    const operator = new Client(stack.url, { authorization: `Bearer ${stack.secrets.ADMIN_TOKEN}` });
    const tenant = await operator.post('/admin/v1/tenants', { name: 'Compose' });
    const path = `/admin/v1/tenants/${tenant.id}`;
    const { key } = await operator.post(`${path}/api-keys`, { name: 'test' });
    const client = new Client(stack.url, { 'x-api-key': key });
    const { signing_secret: secret } = await client.post('/v1/webhooks', {
      callback_url: 'http://recorder:4000/',
      events: ['*'],
    });
    const ledger = new Ledger({ client, recorderUrl: stack.recorderUrl, secret, pending: () => stack.pending() });
    const world = new World({ stack, people, operator, path, client, ledger });
    for (const connector of people.connectors()) await world.connect(connector);
    return world;
  }

  connectors = [];

  constructor({ stack, people, operator, path, client, ledger }) {
    this.stack = stack;
    this.people = people;
    this.operator = operator;
    this.path = path;
    this.client = client;
    this.ledger = ledger;
  }

  async connect(body) {
    const { id } = await this.operator.post(`${this.path}/connectors`, body);
    this.connectors.push(id);
    return id;
  }

  /** Adds and changes people, triggers a job for each source, and returns the job ids. */
  async begin() {
    await this.people.change({ joining: 25, changing: 1_000 });
    return this.trigger(...this.connectors);
  }

  trigger(...connectors) {
    return Promise.all(
      connectors.map(async (id) => {
        const body = { connector_id: id, idempotency_key: randomUUID() };
        return (await this.client.post('/v1/sync/trigger', body)).job_id;
      }),
    );
  }

  async completed(jobs) {
    const ends = await Promise.all(jobs.map((job) => this.client.jobEnd(job)));
    const others = ends.filter(({ status }) => status !== 'completed');
    assert.deepEqual(others, [], 'jobs did not complete');
  }

  /** Waits until the job is running. */
  async waitUntilRunning(job) {
    await until(
      async () => (await this.client.get(`/v1/sync/jobs/${job}`)).status !== 'queued',
      'the job did not start',
    );
  }

  /**
   * Checks that the directory has each person once and the receiver every event, with at most `repeats` repeated
   * deliveries.
   */
  async settled(when, { repeats = Number.POSITIVE_INFINITY } = {}) {
    const before = this.ledger.repeats;
    const { events } = await this.ledger.settle();
    const mails = [];
    let total = 0;
    for (let offset = 0; offset === 0 || offset < total; offset += 200) {
      const page = await this.client.get(`/v1/users?limit=200&offset=${offset}`);
      total = page.total;
      mails.push(...page.data.map((user) => user.email));
    }
    assert.deepEqual(mails.sort(), this.people.mails().sort(), 'the users differ from the file');
    const identities = await this.client.get('/v1/identities?limit=1');
    assert.equal(identities.total, this.people.count, 'the number of identities differs from the people');
    this.#assertNoDuplicates();
    const more = this.ledger.repeats - before;
    assert.ok(more <= repeats, `${more} deliveries were repeated`);
    say(
      `${when}: ${total} users, ${identities.total} identities, ${events} events delivered, ${more} of them repeated`,
    );
    return more;
  }

  /** Checks that each job changes a resource in the same way only once. */
  #assertNoDuplicates() {
    const seen = new Map();
    for (const { id, type, data } of this.ledger.events.values()) {
      const what = `${type} of ${data.id ?? ''} by ${data.job_id}`;
      assert.equal(seen.get(what), undefined, `${what} was emitted twice: ${seen.get(what)}, ${id}`);
      seen.set(what, id);
    }
    const created = [...this.ledger.events.values()].filter(({ type }) => type === 'identity.created').length;
    assert.equal(created, this.people.count, 'identities were created more than once');
  }
}

/** Polls until the condition holds; after a time limit, throws an error with `otherwise`. */
export async function until(isSo, otherwise, { seconds = 60 } = {}) {
  for (const end = Date.now() + seconds * 1_000; !(await isSo()); await pause(100)) {
    if (Date.now() > end) throw new Error(`${otherwise} within ${seconds} s`);
  }
}
