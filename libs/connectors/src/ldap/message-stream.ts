import { elementLength, MalformedMessage } from './ber.js';

/** Maximum size of one message. Directory entries are much smaller. */
const maxMessageBytes = 16 * 1024 * 1024;

/** Splits received bytes into complete messages. */
export class MessageStream {
  private chunks: Buffer[] = [];
  private length = 0;
  private needed = 1;

  /** Bytes of an incomplete message. */
  get pending(): number {
    return this.length;
  }

  *feed(chunk: Buffer): Generator<Buffer> {
    this.chunks.push(chunk);
    this.length += chunk.length;
    // Concatenated only when complete, because otherwise each chunk would copy a large message.
    while (this.length >= this.needed) {
      const all = this.chunks.length === 1 && this.chunks[0] ? this.chunks[0] : Buffer.concat(this.chunks);
      // Checked at the first byte, because a wrong length would otherwise be waited for.
      if (all[0] !== 0x30) throw new MalformedMessage('a message has an unknown type');
      const length = elementLength(all);
      if (length !== undefined && length > maxMessageBytes)
        throw new MalformedMessage('a message is larger than 16 MiB');
      const complete = length !== undefined && length <= all.length;
      this.chunks = complete ? [all.subarray(length)] : [all];
      this.length = complete ? all.length - length : all.length;
      this.needed = complete ? 1 : (length ?? all.length + 1);
      if (complete) yield all.subarray(0, length);
    }
  }
}
