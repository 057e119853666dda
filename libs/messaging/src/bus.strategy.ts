import { queues, type ServiceName } from '@idsync/contracts';
import { isUnavailable } from '@idsync/database';
import { type Logger, withLogContext } from '@idsync/runtime';
import { type CustomTransportStrategy, type MessageHandler as NestHandler, Server } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import { type Delivery, handleDelivery, type MessageHandler, type Outcome, patternsOf } from './delivery.js';
import type { BusDriver } from './driver.js';
import { handling } from './metrics.js';

/** Passes the messages of a service's queues to its Nest `@EventPattern` handlers and settles them by the result. */
export class BusStrategy extends Server implements CustomTransportStrategy {
  // Without this, Nest logs a handler's error and treats the message as done.
  override readonly propagatesEventHandlerErrors = true;
  private stopping: Promise<void> | undefined;

  constructor(
    private readonly service: ServiceName,
    private readonly driver: BusDriver,
    private readonly log: Logger,
    private readonly isIgnored: (tenantId: string) => Promise<boolean>,
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

  /** Starts to stop without waiting, because Nest closes strategies before any hook runs; the bus awaits the end. */
  close(): void {
    void this.stop().catch(() => undefined);
  }

  /** Stops consuming and waits for messages in progress; rejects after a time limit. */
  stop(): Promise<void> {
    this.stopping ??= this.driver.stopConsuming();
    return this.stopping;
  }

  override on(): never {
    throw new Error('the bus does not emit events');
  }

  override unwrap<T>(): T {
    return this.driver as T;
  }

  private async deliver(delivery: Delivery, handlers: ReadonlyMap<string, MessageHandler>): Promise<Outcome> {
    const began = performance.now();
    const outcome = await handleDelivery(delivery, queues[delivery.queue], handlers, (tenantId) =>
      this.isIgnored(tenantId).then(
        () => true,
        // A full pool or a slow statement says nothing about the tenant.
        (error: unknown) => !isUnavailable(error),
      ),
    );
    handling.observe({ queue: delivery.queue, outcome: outcome.kind }, (performance.now() - began) / 1_000);
    if (outcome.kind !== 'done') {
      const { type, queue, attempt } = delivery;
      const fields = { type, queue, attempt, reason: outcome.reason, err: outcome.error };
      if (outcome.kind === 'dead') this.log.error(fields, 'message dead-lettered');
      else if (outcome.kind === 'postponed')
        this.log.warn(fields, 'the rows of a tenant are unreachable, message postponed');
      else this.log.warn(fields, 'handling a message failed, will retry');
    }
    return outcome;
  }

  /** A message of a deleted tenant is done without its handler, which would find nothing or write rows again. */
  private unlessIgnored(handle: MessageHandler): MessageHandler {
    return async (message, context) => {
      if (!(await this.isIgnored(message.tenant_id))) return handle(message, context);
      this.log.info({ queue: context.queue }, 'message of a deleted tenant ignored');
      return undefined;
    };
  }

  /** Fails at start-up if a message type has no handler, or a handler no queue. */
  private handlersByPattern(): Map<string, MessageHandler> {
    const expected = new Set(patternsOf(this.service));
    const found = new Map(
      [...this.getHandlers()].map(([pattern, handler]) => [pattern, this.unlessIgnored(chain(handler))]),
    );
    const missing = [...expected].filter((pattern) => !found.has(pattern));
    const unbound = [...found.keys()].filter((pattern) => !expected.has(pattern));
    if (missing.length > 0) throw new Error(`${this.service} has no handler for ${missing.join(', ')}`);
    if (unbound.length > 0) throw new Error(`no queue of ${this.service} binds ${unbound.join(', ')}`);
    return found;
  }
}

/** Runs all handlers that Nest has linked for one pattern, in sequence. */
function chain(first: NestHandler): MessageHandler {
  return async (message, context) => {
    for (let handler: NestHandler | undefined = first; handler; handler = handler.next as NestHandler | undefined) {
      const result: unknown = await handler(message, context);
      if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
    }
  };
}
