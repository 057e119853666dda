import {
  type Attributes,
  type Context,
  context,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

export interface TracedWork {
  kind?: 'server' | 'client' | 'consumer' | 'internal';
  /** W3C traceparent of the cause; null starts a new trace; undefined uses the active span. */
  parent?: string | null;
  attributes?: Attributes;
}

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

/** An open span, and a way to run work inside it. */
export interface OpenSpan {
  within<Result>(work: () => Result): Result;
  end(attributes?: Attributes, failed?: boolean): void;
}

export function openSpan(name: string, { kind = 'internal', parent, attributes }: TracedWork): OpenSpan {
  const around = parent === undefined ? context.active() : contextOf(parent);
  const span = trace.getTracer('idsync').startSpan(name, { kind: kinds[kind], attributes }, around);
  return {
    within: (work) => context.with(trace.setSpan(around, span), work),
    end: (more = {}, failed = false) => {
      span.setAttributes(more);
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** Runs `work` in its own span. Almost free if tracing is off. */
export async function traced<Result>(name: string, how: TracedWork, work: () => Promise<Result>): Promise<Result> {
  const span = openSpan(name, how);
  return span.within(async () => {
    try {
      const result = await work();
      span.end();
      return result;
    } catch (error) {
      // The message may contain personal data.
      span.end({ 'error.type': error instanceof Error ? error.name : typeof error }, true);
      throw error;
    }
  });
}

/** Adds attributes to the active span. */
export function addTraceAttributes(attributes: Attributes): void {
  trace.getActiveSpan()?.setAttributes(attributes);
}

/** Marks the active span as failed, for failures that are results and not errors. */
export function markSpanFailed(errorType: string): void {
  const span = trace.getActiveSpan();
  span?.setAttributes({ 'error.type': errorType });
  span?.setStatus({ code: SpanStatusCode.ERROR });
}

const maxLinks = 32;

/** Links the active span to its causes, up to a maximum; work with several causes has no parent. */
export function linkTrace(traceparents: Iterable<string | null>): void {
  const span: Span | undefined = trace.getActiveSpan();
  if (!span?.isRecording()) return;
  const links: Link[] = [];
  for (const parent of new Set(traceparents)) {
    const linked = parent === null ? undefined : trace.getSpanContext(contextOf(parent));
    if (linked && links.length < maxLinks) links.push({ context: linked });
  }
  span.addLinks(links);
}

/** Returns the W3C traceparent of the active span; undefined without tracing. */
export function traceparent(): string | undefined {
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent;
}

/** Returns the active trace id for the logs. */
export function traceId(): string | undefined {
  return trace.getActiveSpan()?.spanContext().traceId;
}

function contextOf(parent: string | null): Context {
  return parent === null ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, { traceparent: parent });
}
