import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

const compress = promisify(gzip);

/** A text that many requests get: rendered and compressed once, at the first request for it. */
export class CompressedText {
  private plain: Buffer | undefined;
  private compressed: Promise<Buffer> | undefined;

  constructor(private readonly render: () => string) {}

  /** Sets the headers of the response and returns its body. */
  async send(request: FastifyRequest, reply: FastifyReply): Promise<Buffer> {
    void reply.header('vary', 'accept-encoding');
    if (!acceptsGzip(request.headers['accept-encoding'])) return this.text;
    void reply.header('content-encoding', 'gzip');
    this.compressed ??= compress(this.text, { level: 9 });
    return this.compressed;
  }

  private get text(): Buffer {
    this.plain ??= Buffer.from(this.render());
    return this.plain;
  }
}

/** True if the value of `Accept-Encoding` contains gzip, unless with the quality 0. */
export function acceptsGzip(header: string | string[] = ''): boolean {
  return String(header)
    .split(',')
    .some((each) => {
      const [name, ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
      return name === 'gzip' && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
    });
}
