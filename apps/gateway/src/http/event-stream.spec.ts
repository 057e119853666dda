import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { EventStream } from './event-stream.js';

class Response extends EventEmitter {
  isDestroyed = false;

  destroy() {
    this.isDestroyed = true;
  }
}

function opened(position: number) {
  const response = new Response();
  return { response, stream: new EventStream(response as unknown as ServerResponse, position) };
}
const textOf = ({ body }: EventStream) => String(body.read());

describe('an event stream', () => {
  it('begins with its position, so that a client without a message can continue', () => {
    expect(textOf(opened(7).stream)).toBe('retry: 3000\nid: 7\n\n');
  });

  it('sends messages with their id, and comments', () => {
    const { stream } = opened(7);
    textOf(stream);
    stream.send({ id: 8, data: { text: 'two\nlines' } });
    stream.send({ id: 9, event: 'reset', data: {} });
    stream.keepAlive();
    expect(textOf(stream)).toBe('id: 8\ndata: {"text":"two\\nlines"}\n\nevent: reset\nid: 9\ndata: {}\n\n:\n\n');
    expect(stream.position).toBe(9);
  });

  it('is closed if more than a megabyte waits for its client', () => {
    const { stream, response } = opened(0);
    const data = { text: 'x'.repeat(100_000) };
    for (let id = 1; id <= 9; id += 1) stream.send({ id, data });
    expect(response.isDestroyed).toBe(false);
    for (let id = 10; id <= 11; id += 1) stream.send({ id, data });
    expect(response.isDestroyed).toBe(true);
  });

  it('sends nothing after its end', () => {
    const { stream, response } = opened(0);
    textOf(stream);
    stream.end();
    stream.send({ id: 1, data: {} });
    expect(stream.body.read()).toBeNull();
    response.emit('close');
  });
});
