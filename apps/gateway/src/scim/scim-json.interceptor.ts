import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Observable, tap } from 'rxjs';

/** Sets the SCIM content type on responses with a body. */
@Injectable()
export class ScimJsonInterceptor implements NestInterceptor<object | undefined> {
  intercept(context: ExecutionContext, next: CallHandler<object | undefined>): Observable<object | undefined> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      tap((body) => {
        if (body !== undefined) reply.type('application/scim+json; charset=utf-8');
      }),
    );
  }
}
