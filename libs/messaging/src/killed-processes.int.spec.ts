import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expireLeases } from '@idsync/database/schema';
import { type BrokerVhost, createVhost, eachBus, testProgram, until } from '@idsync/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BusFixture } from '../test/bus-fixture.js';

const numbers = Array.from({ length: 30 }, (_, n) => n);

eachBus(describe)('the bus, when processes are killed, over %s', (driver) => {
  let bus: BusFixture;
  let vhost: BrokerVhost | undefined;
  const children: ChildProcess[] = [];
  const outputs = new Map<ChildProcess, string>();

  beforeAll(async () => {
    vhost = driver === 'amqp' ? await createVhost() : undefined;
  });
  afterAll(() => vhost?.drop());

  beforeEach(async () => {
    bus = await BusFixture.create(driver, vhost);
  });

  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await bus?.remove();
  });

  const start = (program: string, ...words: string[]): ChildProcess => {
    const child = spawn(process.execPath, [testProgram(program), bus.database.url, bus.amqpUrl ?? '-', ...words], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    child.stdout?.on('data', (text: Buffer) => outputs.set(child, `${outputs.get(child) ?? ''}${text}`));
    return child;
  };

  /** Waits until the process has printed this; calls `nudge` meanwhile, because a signal may come before the process stops. */
  const printed = async (child: ChildProcess, line: string, nudge = () => true) => {
    await until(() => nudge() && String(outputs.get(child)).includes(`${line}\n`), line, 100_000);
  };

  /** Expects that surviving processes apply every message exactly once. */
  const expectEachOnce = async () => {
    await bus.open('sync-worker');
    await bus.open('directory', { 'sync.batch.ready': (message) => bus.apply('directory', message) });
    await until(async () => (await bus.effects()).all >= numbers.length, 'all effects', 100_000);
    await until(async () => (await bus.rows.rows('select id from outbox')).length === 0, 'an empty outbox', 100_000);
    expect(await bus.effects()).toEqual({ all: numbers.length, distinct: numbers.length });
  };

  it.each(['before the effect', 'before the commit', 'before the acknowledgement', 'after the acknowledgement'])(
    'applies every message once when a consumer is killed %s',
    async (step) => {
      await bus.announceBatches(numbers);
      await bus.open('sync-worker');
      const child = start('killed-consumer', step);
      await once(child, 'exit');
      expect(child.signalCode).toBe('SIGKILL');
      await bus.closeBuses();
      await expireLeases(bus.database.url);
      await expectEachOnce();
    },
  );

  // Over amqp, a relay reads, publishes and deletes; over postgres, it moves the messages in one statement.
  it.each([
    { when: 'before', step: 'lease', left: 30 },
    { when: 'after', step: 'lease', left: 30 },
    ...(driver === 'amqp'
      ? [
          { when: 'after', step: 'read', left: 30 },
          { when: 'before', step: 'delete', left: 30 },
          { when: 'after', step: 'delete', left: 0 },
        ]
      : [{ when: 'after', step: 'move', left: 0 }]),
    { when: 'after', step: 'renew', left: 0 },
  ])('applies every message once when a relay is killed $when the step: $step', async ({ when, step, left }) => {
    await bus.announceBatches(numbers);
    const child = start('killed-relay', when, step, 'SIGKILL');
    await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');
    expect(await bus.rows.rows('select from outbox')).toHaveLength(left);
    await expireLeases(bus.database.url);
    await expectEachOnce();
  });

  it('applies every message once when a relay is suspended past its lease', async () => {
    await bus.announceBatches(numbers);
    const [when, step] = driver === 'amqp' ? ['before', 'delete'] : ['after', 'move'];
    const stopped = start('killed-relay', when, step, 'SIGSTOP');
    await printed(stopped, `${when} ${step}`);
    await expireLeases(bus.database.url);
    await expectEachOnce();
    await bus.announceBatches([100, 101]);
    stopped.kill('SIGCONT');
    await until(async () => (await bus.effects()).all === numbers.length + 2, 'all effects', 100_000);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await bus.effects()).toEqual({ all: numbers.length + 2, distinct: numbers.length + 2 });
  });

  // Over postgres, rows are deleted by the statement that moves them.
  if (driver === 'amqp') {
    it('does not let a relay delete rows if another one has got its lease after it has published them', async () => {
      await bus.announceBatches(numbers);
      const late = start('killed-relay', 'before', 'delete', 'SIGSTOP');
      await printed(late, 'before delete');
      await bus.rows.rows(
        `update relay_leases set owner = 'another', token = token + 1, until = now() + interval '1 hour'`,
      );
      await printed(late, 'after delete', () => late.kill('SIGCONT'));
      expect(await bus.rows.rows('select from outbox')).toHaveLength(numbers.length);
      late.kill('SIGKILL');
      await expireLeases(bus.database.url);
      await expectEachOnce();
    });
  }
});
