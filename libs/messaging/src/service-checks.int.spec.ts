import { ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Bus } from './bus.js';
import { serviceChecks } from './service-checks.js';

let own: ServiceDatabase;

beforeAll(async () => {
  own = await ServiceDatabase.start('directory');
});
afterAll(() => own?.close());

/** Health checks of a directory service that has just started and consumes nothing yet. */
async function checked(): Promise<Record<string, string>> {
  const bus = await Bus.open({ service: 'directory', database: own.database });
  try {
    const checks = serviceChecks(own.database, bus, 'down');
    return Object.fromEntries(await Promise.all(checks.map(async ({ name, run }) => [name, await run()] as const)));
  } finally {
    await bus.close();
  }
}

describe('the health checks of a service', () => {
  it('report up if no message is waiting', async () => {
    expect(await checked()).toEqual({ database: 'up', schema: 'up', bus: 'up', backlog: 'up' });
  });

  it.each([
    [9, 'up'],
    [11, 'degraded'],
  ])('report a message that has waited for %s minutes as backlog only: %s', async (minutes, backlog) => {
    await own.fixture.rows('delete from bus_messages');
    await own.fixture.rows(
      `insert into bus_messages (queue, type, message, available_at)
       values ('directory.batches', 'sync.batch.ready', '{}', now() - $1 * interval '1 minute')`,
      [minutes],
    );
    expect(await checked()).toEqual({ database: 'up', schema: 'up', bus: 'up', backlog });
  });
});
