import { DatabaseModule } from '@idsync/database';
import { observedApplication, RuntimeModule } from '@idsync/runtime';
import { createTestDatabase, DirectoryFixture, type TestDatabase, until } from '@idsync/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Bus } from './bus.js';
import { BusModule } from './bus.module.js';

let testDatabase: TestDatabase;
let fixture: DirectoryFixture;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  fixture = DirectoryFixture.connect(testDatabase.url);
});

afterAll(async () => {
  await fixture?.close();
  await testDatabase?.drop();
});

it('relays the outbox until the application closes, and releases its lease before the database closes', async () => {
  const useFactory = () => ({ url: testDatabase.url });
  @Module({
    imports: [
      RuntimeModule.forRoot('directory', { LOG_LEVEL: 'fatal' }),
      DatabaseModule.forRootAsync({ service: 'directory', useFactory }),
      BusModule.forRootAsync({ service: 'directory', useFactory: () => ({}) }),
    ],
  })
  class Root {}
  const app = await NestFactory.createApplicationContext(Root, { logger: false, abortOnError: false });
  expect(app.get(Bus).up).toBe(true);
  const leases = () =>
    fixture.rows<{ held: boolean }>(
      `select until > now() as held from relay_leases where producer = 'idsync_directory'`,
    );
  await until(async () => (await leases()).length > 0, 'the lease of the relay');
  expect(await leases()).toEqual([{ held: true }]);
  await observedApplication(app, []).close();
  expect(await leases()).toEqual([{ held: false }]);
});
