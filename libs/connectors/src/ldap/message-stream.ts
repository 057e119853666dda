import { elementLength, MalformedMessage } from './ber.js';

/** Of one message; entries of directories are far smaller. */
const maxMessageBytes = 16 * 1024 * 1024;

/** Cuts what a connection brings into whole messages. */
export class MessageStream {
  private chunks: Buffer[] = [];
  private length = 0;
  private needed = 1;

  /** Bytes of a message that is not all there. */
  get pending(): number {
    return this.length;
  }

  *feed(chunk: Buffer): Generator<Buffer> {
    this.chunks.push(chunk);
    this.length += chunk.length;
    // Put together only once enough is there: else a large message would be copied with every chunk.
    while (this.length >= this.needed) {
      const all = this.chunks.length === 1 && this.chunks[0] ? this.chunks[0] : Buffer.concat(this.chunks);
      // Seen at the first byte: what else it says of its length would be waited for.
      if (all[0] !== 0x30) throw new MalformedMessage('an answer is of no known kind');
      const length = elementLength(all);
      if (length !== undefined && length > maxMessageBytes)
        throw new MalformedMessage('an answer is larger than 16 MiB');
      const whole = length !== undefined && length <= all.length;
      this.chunks = whole ? [all.subarray(length)] : [all];
      this.length = whole ? all.length - length : all.length;
      this.needed = whole ? 1 : (length ?? all.length + 1);
      if (whole) yield all.subarray(0, length);
    }
  }
}
