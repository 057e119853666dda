import { requests } from '@idsync/contracts';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { validate } from '../http/validate.js';

export type StreamPosition = z.infer<typeof requests.eventStreamQuery>['after'];

/** The position that a browser sends when it connects to a stream of events again. */
export const LastEventId = createParamDecorator((_: unknown, context: ExecutionContext): StreamPosition | undefined => {
  const { 'last-event-id': after } = context.switchToHttp().getRequest<FastifyRequest>().headers;
  return after ? validate(requests.eventStreamQuery, { after }).after : undefined;
});
