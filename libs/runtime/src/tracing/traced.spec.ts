import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { context, propagation, trace } from '@opentelemetry/api';
import { startTracing } from './start-tracing.js';
import { traced, traceId, traceparent } from './traced.js';

const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('without tracing', () => {
  it('work runs normally and no traceparent is passed on', async () => {
    await startTracing('test', {}).end();
    const within = traced('work', { parent }, async () => ({ id: traceId(), parent: traceparent() }));
    expect(await within).toEqual({ id: undefined, parent: undefined });
  });
});

describe('with a trace collector that hangs', () => {
  const collector = createServer();
  let tracing: ReturnType<typeof startTracing>;

  beforeAll(async () => {
    collector.listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const { port } = collector.address() as AddressInfo;
    // A little longer than the flush at shutdown waits.
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

  it('work continues the trace of its cause across asynchronous steps', async () => {
    const traceparents = await traced('work', { parent }, async () => {
      await Promise.resolve();
      return traced('part', {}, async () => traceparent());
    });
    expect(traceparents).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/);
    expect(traceparents).not.toBe(parent);
  });

  it('work without a cause starts a new trace, also inside another one', async () => {
    const traceparents = await traced('work', { parent }, () =>
      traced('other', { parent: null }, async () => traceparent()),
    );
    expect(traceparents).not.toContain('4bf92f3577b34da6a3ce929d0e0e4736');
  });

  it('failing work rejects with its own error', async () => {
    const failing = traced('work', {}, () => Promise.reject(new RangeError('too far')));
    await expect(failing).rejects.toThrow(new RangeError('too far'));
  });

  it('the shutdown of tracing ends within its time limit', async () => {
    await tracing.end();
  });
});
