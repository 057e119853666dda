interface Message {
  event: string;
  id: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert the shape of data
  data: any;
}

/** Reads server-sent events, as an EventSource does. */
export class StreamReader {
  private readonly decoder = new TextDecoder();
  private text = '';

  private constructor(
    readonly answer: Response,
    private readonly reader: ReadableStreamDefaultReader<Uint8Array>,
  ) {}

  /** Throws an error with the status if the stream is refused. */
  static async open(url: string, headers: Record<string, string>): Promise<StreamReader> {
    const answer = await fetch(url, { headers });
    if (!answer.ok || !answer.body) throw new Error(`${answer.status} ${answer.headers.get('retry-after')}`);
    return new StreamReader(answer, answer.body.getReader());
  }

  /** Returns the next messages with data, without comments. */
  async next(count: number): Promise<Message[]> {
    const messages: Message[] = [];
    while (messages.length < count) {
      const block = await this.block();
      if (block === undefined) throw new Error(`the stream has ended after ${messages.length} of ${count} messages`);
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s)));
      if (fields.data !== undefined)
        messages.push({ event: fields.event ?? 'message', id: Number(fields.id), data: JSON.parse(fields.data) });
    }
    return messages;
  }

  /** Resolves when the gateway ends the stream. */
  async ended(): Promise<void> {
    while ((await this.block()) !== undefined);
  }

  async close(): Promise<void> {
    await this.reader.cancel();
  }

  private async block(): Promise<string | undefined> {
    for (;;) {
      const end = this.text.indexOf('\n\n');
      if (end >= 0) {
        const block = this.text.slice(0, end);
        this.text = this.text.slice(end + 2);
        return block;
      }
      const { done, value } = await this.reader.read();
      if (done) return undefined;
      this.text += this.decoder.decode(value, { stream: true });
    }
  }
}
