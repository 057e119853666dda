import { type CallHandler, type ExecutionContext, type NestInterceptor, UseInterceptors } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { map, type Observable } from 'rxjs';

/** Result or current state of work that another service does. */
export interface Progress {
  finished: boolean;
  body: object;
}

class MayTakeLongerInterceptor implements NestInterceptor<Progress, object> {
  intercept(context: ExecutionContext, next: CallHandler<Progress>): Observable<object> {
    return next.handle().pipe(
      map(({ finished, body }) => {
        context
          .switchToHttp()
          .getResponse<FastifyReply>()
          .status(finished ? 200 : 202);
        return body;
      }),
    );
  }
}

/** For handlers that return `Progress`: responds with 200 if the work is finished and with 202 otherwise. */
export const MayTakeLonger = () => UseInterceptors(MayTakeLongerInterceptor);
