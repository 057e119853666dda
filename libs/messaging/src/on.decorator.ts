import type { Message, MessageType } from '@idsync/contracts';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';
import type { MessageContext } from './delivery.js';

/** A message type, or `dead.<type>` for dead letters of another queue. */
type MessagePattern = MessageType | `dead.${MessageType}`;

type Handler<Pattern extends MessagePattern> = (
  message: Message<Pattern extends `dead.${infer Type extends MessageType}` ? Type : Extract<Pattern, MessageType>>,
  context: MessageContext,
) => void | Promise<void>;

/** Marks the handler of a message type. The compiler checks the type of the message it receives. */
export function On<Pattern extends MessagePattern>(pattern: Pattern) {
  return <Method extends Handler<Pattern>>(
    controller: object,
    name: string,
    method: TypedPropertyDescriptor<Method>,
  ): void => {
    EventPattern<string>(pattern)(controller, name, method as PropertyDescriptor);
    Payload()(controller, name, 0);
    Ctx()(controller, name, 1);
  };
}
