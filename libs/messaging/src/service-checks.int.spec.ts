import { ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openBus } from './open-bus.js';
import { serviceChecks } from './service-checks.js';

let own: ServiceDatabase;

beforeAll(async () => {
  own = await ServiceDatabase.start('directory');
});
afterAll(() => own?.close());

/** What the checks of a directory say that has just been started, and takes no messages yet. */
async function checked(): Promise<Record<string, string>> {
  const bus = await openBus({ service: 'directory', database: own.database });
  try {
    const checks = serviceChecks(own.database, bus, 'down');
    return Object.fromEntries(await Promise.all(checks.map(async ({ name, run }) => [name, await run()] as const)));
  } finally {
    await bus.close();
  }
}

describe('what a service says of itself', () => {
  it('is that it is up where nothing waits', async () => {
    expect(await checked()).toEqual({ database: 'up', schema: 'up', bus: 'up', backlog: 'up' });
  });

  it.each([
    [9, 'up'],
    [11, 'degraded'],
  ])('tells what has been waiting for %s minutes apart from what it needs: %s', async (minutes, backlog) => {
    await own.fixture.rows('delete from bus_messages');
    await own.fixture.rows(
      `insert into bus_messages (queue, type, message, available_at)
       values ('directory.batches', 'sync.batch.ready', '{}', now() - $1 * interval '1 minute')`,
      [minutes],
    );
    expect(await checked()).toEqual({ database: 'up', schema: 'up', bus: 'up', backlog });
  });
});
