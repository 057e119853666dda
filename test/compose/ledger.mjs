// Compares deliveries with events: every event is delivered once, or repeatedly with the same id and body.
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

const lastMinuteMs = 120_000;

export class Ledger {
  events = new Map();
  bodies = new Map();
  /** Deliveries of an event beyond its first. */
  repeats = 0;
  heard = 0;
  lastSequence = 0;

  constructor({ client, recorderUrl, secret, pending }) {
    this.client = client;
    this.recorderUrl = recorderUrl;
    this.pending = pending;
    this.webhook = new Webhook(secret);
  }

  /** Waits until every event of the feed was delivered and deliveries have stopped; throws on any mismatch. */
  async settle() {
    let before = -1;
    for (const end = Date.now() + lastMinuteMs; ; await pause(500)) {
      await this.#readFeed();
      // An interrupted delivery is repeated when its lease expires, even if the receiver got it.
      const pending = await this.pending();
      await this.listen();
      const missing = [...this.events.keys()].filter((id) => !this.bodies.has(id));
      const whole = missing.length === 0 && pending === 0;
      if (whole && this.events.size === before) break;
      before = whole ? this.events.size : -1;
      if (Date.now() > end)
        throw new Error(`${missing.length} of ${this.events.size} events were not delivered, ${pending} are pending`);
    }
    const unknown = [...this.bodies.keys()].filter((id) => !this.events.has(id));
    if (unknown.length > 0) throw new Error(`delivered without an event: ${unknown.slice(0, 5)}`);
    return { events: this.events.size, repeats: this.repeats };
  }

  async #readFeed() {
    for (let more = true; more; ) {
      const page = await this.client.get(`/v1/events?after=${this.lastSequence}&limit=200`);
      for (const event of page.data) {
        if (event.sequence !== this.lastSequence + 1) throw new Error(`a gap before event ${event.sequence}`);
        this.lastSequence = event.sequence;
        this.events.set(event.id, event);
      }
      more = page.has_more;
    }
  }

  /** Starts over with a new, empty recorder. */
  recorderIsNew() {
    this.heard = 0;
  }

  async listen() {
    const answer = await fetch(`${this.recorderUrl}/?after=${this.heard}`);
    for (const { headers, body } of await answer.json()) {
      this.heard += 1;
      this.webhook.verify(body, headers);
      const id = headers['webhook-id'];
      const first = this.bodies.get(id);
      if (first === undefined) this.bodies.set(id, body);
      else if (first === body) this.repeats += 1;
      else throw new Error(`event ${id} was sent with two bodies`);
    }
  }
}
