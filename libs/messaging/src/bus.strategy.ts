import { queues, type ServiceName } from '@idsync/contracts';
import { withLogContext } from '@idsync/runtime';
import { type CustomTransportStrategy, type MessageHandler as NestHandler, Server } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import { type Delivery, handleDelivery, type MessageHandler, type Outcome } from './delivery.js';
import type { BusDriver, BusLogger } from './driver.js';
import { handling } from './metrics.js';
import { patternsOf } from './queues-of.js';

/** Hands the deliveries of a service's queues to its Nest `@EventPattern` handlers and settles them by what they did. */
export class BusStrategy extends Server implements CustomTransportStrategy {
  // Nest would otherwise log a handler's error and let the message pass for done.
  override readonly propagatesEventHandlerErrors = true;

  constructor(
    private readonly service: ServiceName,
    private readonly driver: BusDriver,
    private readonly log: BusLogger,
  ) {
    super();
  }

  async listen(callback: (error?: unknown) => void): Promise<void> {
    try {
      const handlers = this.handlersByPattern();
      await this.driver.consume((delivery) => withLogContext({}, () => this.deliver(delivery, handlers)));
      callback();
    } catch (error) {
      callback(error);
    }
  }

  async close(): Promise<void> {
    await this.driver.stopConsuming();
  }

  override on(): never {
    throw new Error('the bus emits no events of its own');
  }

  override unwrap<T>(): T {
    return this.driver as T;
  }

  private async deliver(delivery: Delivery, handlers: ReadonlyMap<string, MessageHandler>): Promise<Outcome> {
    const began = performance.now();
    const outcome = await handleDelivery(delivery, queues[delivery.queue], handlers);
    handling.observe({ queue: delivery.queue, outcome: outcome.kind }, (performance.now() - began) / 1_000);
    if (outcome.kind !== 'done') {
      const what = `${delivery.type} on ${delivery.queue}, attempt ${delivery.attempt}: ${outcome.reason}`;
      if (outcome.kind === 'dead') this.log.error(`gave up ${what}`);
      else this.log.warn(`will try again ${what}`);
    }
    return outcome;
  }

  /** A type no handler takes, or a handler no queue feeds, is a mistake to hear of at start-up. */
  private handlersByPattern(): Map<string, MessageHandler> {
    const expected = new Set(patternsOf(this.service));
    const found = new Map([...this.getHandlers()].map(([pattern, handler]) => [pattern, chain(handler)]));
    const missing = [...expected].filter((pattern) => !found.has(pattern));
    const unfed = [...found.keys()].filter((pattern) => !expected.has(pattern));
    if (missing.length > 0) throw new Error(`${this.service} has no handler for ${missing.join(', ')}`);
    if (unfed.length > 0) throw new Error(`no queue of ${this.service} brings ${unfed.join(', ')}`);
    return found;
  }
}

/** Nest links the handlers of one pattern; all of them run, one after another. */
function chain(first: NestHandler): MessageHandler {
  return async (message, context) => {
    for (let handler: NestHandler | undefined = first; handler; handler = handler.next as NestHandler | undefined) {
      const result: unknown = await handler(message, context);
      if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
    }
  };
}
