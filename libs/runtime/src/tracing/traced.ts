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
  /** W3C traceparent of what asked for this, wherever it ran; null begins a trace. What runs now, unless told. */
  parent?: string | null;
  attributes?: Attributes;
}

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

/** A span that is open until `end`, and the way to run work as a part of it. */
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

/** Runs `work` as a span of its own. Costs next to nothing where nobody has started tracing. */
export async function traced<Result>(name: string, how: TracedWork, work: () => Promise<Result>): Promise<Result> {
  const span = openSpan(name, how);
  return span.within(async () => {
    try {
      const result = await work();
      span.end();
      return result;
    } catch (error) {
      // No text of it: that may hold people's data.
      span.end({ 'error.type': error instanceof Error ? error.name : typeof error }, true);
      throw error;
    }
  });
}

/** Says more of what runs now. */
export function noteInTrace(attributes: Attributes): void {
  trace.getActiveSpan()?.setAttributes(attributes);
}

/** Says that what runs now has failed, where it tells so by its result and not by an error. */
export function noteFailure(errorType: string): void {
  const span = trace.getActiveSpan();
  span?.setAttributes({ 'error.type': errorType });
  span?.setStatus({ code: SpanStatusCode.ERROR });
}

const mostLinks = 32;

/** Work that many asked for has no parent: what runs now is linked to each of them, up to a number. */
export function linkTrace(traceparents: Iterable<string | null>): void {
  const span: Span | undefined = trace.getActiveSpan();
  if (!span?.isRecording()) return;
  const links: Link[] = [];
  for (const parent of new Set(traceparents)) {
    const linked = parent === null ? undefined : trace.getSpanContext(contextOf(parent));
    if (linked && links.length < mostLinks) links.push({ context: linked });
  }
  span.addLinks(links);
}

/** W3C traceparent of what runs now; undefined where nothing is traced. */
export function traceparent(): string | undefined {
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent;
}

/** The trace of what runs now, for the logs. */
export function traceId(): string | undefined {
  return trace.getActiveSpan()?.spanContext().traceId;
}

function contextOf(parent: string | null): Context {
  return parent === null ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, { traceparent: parent });
}
