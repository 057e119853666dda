import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { map, type Observable } from 'rxjs';

/** Result or current state of work that another service does. */
export interface Progress<Body> {
  finished: boolean;
  body: Body;
}

/** For handlers that return `Progress`: responds with 200 if the work is finished and with 202 otherwise. */
export class MayTakeLongerInterceptor implements NestInterceptor<Progress<object>, object> {
  intercept(context: ExecutionContext, next: CallHandler<Progress<object>>): Observable<object> {
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
