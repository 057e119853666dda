import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CollectedSpan {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  links: readonly { traceId: string }[];
  attributes: Readonly<Record<string, unknown>>;
  /** Nanoseconds. */
  began: bigint;
  ended: bigint;
  failed: boolean;
}

type Attributes = { key: string; value: Record<string, unknown> }[];

interface ExportedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  links?: { traceId: string }[];
  attributes: Attributes;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status: { code?: number };
}

interface ExportRequest {
  resourceSpans: { resource: { attributes: Attributes }; scopeSpans: { spans: ExportedSpan[] }[] }[];
}

/** `STATUS_CODE_ERROR` of OTLP. */
const errorCode = 2;

/** Collects OpenTelemetry exports over OTLP/HTTP. */
export class TraceCollector {
  readonly spans: CollectedSpan[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<TraceCollector> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const collector = new TraceCollector(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      collector.take(JSON.parse(Buffer.concat(chunks).toString('utf8')));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    return collector;
  }

  of(traceId: string): CollectedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private take({ resourceSpans }: ExportRequest): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = String(valuesOf(resource.attributes)['service.name']);
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) this.spans.push(collected(service, span));
    }
  }
}

function collected(service: string, span: ExportedSpan): CollectedSpan {
  const { name, traceId, spanId, parentSpanId, links = [], attributes, status } = span;
  return {
    service,
    name,
    traceId,
    spanId,
    parentSpanId,
    links,
    attributes: valuesOf(attributes),
    began: BigInt(span.startTimeUnixNano),
    ended: BigInt(span.endTimeUnixNano),
    failed: status.code === errorCode,
  };
}

function valuesOf(attributes: Attributes): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
