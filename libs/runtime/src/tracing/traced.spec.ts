import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { context, propagation, trace } from '@opentelemetry/api';
import { startTracing } from './start-tracing.js';
import { traced, traceId, traceparent } from './traced.js';

const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('where nobody asks for traces', () => {
  it('work runs as it would, and nothing is passed on', async () => {
    await startTracing('test', {}).end();
    const within = traced('work', { parent }, async () => ({ id: traceId(), parent: traceparent() }));
    expect(await within).toEqual({ id: undefined, parent: undefined });
  });
});

describe('where traces are sent to a collector that hangs', () => {
  const collector = createServer();
  let tracing: ReturnType<typeof startTracing>;

  beforeAll(async () => {
    collector.listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const { port } = collector.address() as AddressInfo;
    // A little longer than ending waits.
    process.env.OTEL_EXPORTER_OTLP_TIMEOUT = '3300';
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${port}`;
    tracing = startTracing('test', { OTEL_EXPORTER_OTLP_ENDPOINT: process.env.OTEL_EXPORTER_OTLP_ENDPOINT });
  });

  afterAll(() => {
    delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
    delete process.env.OTEL_EXPORTER_OTLP_TIMEOUT;
    for (const api of [trace, context, propagation]) api.disable();
    collector.closeAllConnections();
    collector.close();
  });

  it('work goes on in the trace of who asked for it, across what it waits for', async () => {
    const told = await traced('work', { parent }, async () => {
      await Promise.resolve();
      return traced('part', {}, async () => traceparent());
    });
    expect(told).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/);
    expect(told).not.toBe(parent);
  });

  it('work that nobody asked for begins a trace, also within another', async () => {
    const told = await traced('work', { parent }, () => traced('other', { parent: null }, async () => traceparent()));
    expect(told).not.toContain('4bf92f3577b34da6a3ce929d0e0e4736');
  });

  it('what fails fails as it would', async () => {
    const failing = traced('work', {}, () => Promise.reject(new RangeError('too far')));
    await expect(failing).rejects.toThrow(new RangeError('too far'));
  });

  it('ends all the same', async () => {
    await tracing.end();
  });
});
