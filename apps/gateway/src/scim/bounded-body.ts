import type { IncomingMessage } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import { ApiError } from '../http/api-error.js';

/** A request body that fails if it exceeds `bytes`, takes longer than `ms`, or its client disconnects. */
export class BoundedBody extends Transform {
  private received = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(
    request: IncomingMessage,
    private readonly most: { bytes: number; ms: number },
  ) {
    super();
    // No parser reads the body of a `GET` or of an unknown type: without a listener, its error would crash the process.
    this.on('error', () => undefined);
    this.timer = setTimeout(() => this.destroy(new ApiError(408, 'the body did not arrive in time')), most.ms);
    request.once('error', (error) => this.destroy(error));
    request.once('close', () => {
      if (!request.complete) this.destroy(new ApiError(400, 'the body is incomplete'));
    });
    request.pipe(this);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.received += chunk.length;
    if (this.received > this.most.bytes) done(tooLarge());
    else done(null, chunk);
  }

  override _flush(done: TransformCallback): void {
    clearTimeout(this.timer);
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.timer);
    done(error);
  }
}

export const tooLarge = (): ApiError => new ApiError(413, 'the body is too large');
