import type { FastifyReply } from 'fastify';

/** Sends JSON that is text already, without parsing or serialising it again. */
export function sendJson(reply: FastifyReply, text: string): void {
  void reply.type('application/json; charset=utf-8').send(Buffer.from(text));
}
