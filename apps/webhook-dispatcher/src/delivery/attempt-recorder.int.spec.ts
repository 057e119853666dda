import { newUuid } from '@idsync/contracts';
import { silentLogger } from '@idsync/runtime';
import { ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AttemptRecorder } from './attempt-recorder.js';
import { defaultSettings } from './settings.js';

let own: ServiceDatabase;

beforeAll(async () => {
  own = await ServiceDatabase.start('webhook-dispatcher');
});

afterAll(() => own?.close());

describe('the results of attempts', () => {
  it('are given up at a shutdown while the database accepts none, with an error that counts them', async () => {
    await own.fixture.rows('alter table webhook_deliveries rename to unavailable');
    const settings = { ...defaultSettings, gatherMs: 1, retryMs: 10 };
    const recorder = new AttemptRecorder(own.database, settings, silentLogger);
    recorder.add({
      deliveryId: newUuid(),
      webhookId: newUuid(),
      tenantId: newUuid(),
      number: 1,
      outcome: 'delivered',
      durationMs: 1,
      endedAt: new Date(),
      status: 'delivered',
      counts: true,
      succeeded: true,
      gone: false,
      trips: 0,
    });
    await expect(recorder.stop()).rejects.toThrow('the results of 1 attempts could not be written');
  });
});
