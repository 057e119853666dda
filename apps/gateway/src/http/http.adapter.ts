import cookie from '@fastify/cookie';
import type { GatewayConfig } from '@idsync/runtime';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { bodyBounds } from './body-bounds.js';
import { HttpEdge, largestHeaders } from './http-edge.js';
import type { HttpOptions } from './http-options.js';
import { requestIdOf } from './request-id.js';

/** Creates Fastify with the gateway's bounds and regular error responses for requests that Node would refuse itself. */
export function createHttpAdapter(
  { TRUSTED_PROXIES }: GatewayConfig,
  { requestTimeouts }: HttpOptions,
): FastifyAdapter {
  const edge = new HttpEdge(requestTimeouts);
  const adapter = new FastifyAdapter({
    bodyLimit: bodyBounds.standard.bytes,
    ...edge.options,
    trustProxy: TRUSTED_PROXIES.length > 0 ? TRUSTED_PROXIES : false,
    genReqId: requestIdOf,
    requestIdHeader: false,
    forceCloseConnections: 'idle',
    // Requests that arrive on kept connections during a shutdown are still answered.
    return503OnClosing: false,
    // As long as the headers may be, so that the route itself returns 404 for an overlong id.
    routerOptions: { maxParamLength: largestHeaders },
  });
  edge.register(adapter.getInstance());
  // Without its hook: only operators have cookies, so no other request has its own parsed.
  void adapter.getInstance().register(cookie, { hook: false });
  return adapter;
}
