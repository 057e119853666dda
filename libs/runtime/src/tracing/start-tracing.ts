import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, ConsoleSpanExporter, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { closeWithin } from '../waiting.js';

const endWithinMs = 3_000;

export interface TracingEnvironment {
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  OTEL_TRACES_EXPORTER?: 'otlp' | 'console' | 'none';
  OTEL_SERVICE_NAME?: string;
}

/**
 * Starts OpenTelemetry if its environment variables enable it. The SDK reads the target and the sampling
 * (`OTEL_TRACES_SAMPLER`). `end` flushes remaining spans within a time limit.
 */
export function startTracing(name: string, env: TracingEnvironment): { end(): Promise<void> } {
  const exporter = env.OTEL_TRACES_EXPORTER ?? (env.OTEL_EXPORTER_OTLP_ENDPOINT ? 'otlp' : 'none');
  if (exporter === 'none') return { end: async () => undefined };
  const provider = new NodeTracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        'service.name': env.OTEL_SERVICE_NAME ?? (name === 'idsync' ? name : `idsync-${name}`),
        'service.namespace': 'idsync',
      }),
    ),
    spanProcessors: [
      new BatchSpanProcessor(exporter === 'console' ? new ConsoleSpanExporter() : new OTLPTraceExporter(), {
        exportTimeoutMillis: 5_000,
      }),
    ],
  });
  provider.register();
  // An unavailable collector must not block the shutdown.
  return { end: () => closeWithin(provider.shutdown(), endWithinMs) };
}
