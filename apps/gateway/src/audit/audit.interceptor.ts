import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { catchError, from, map, mergeMap, type Observable } from 'rxjs';
import { routeDefinitionOf } from '../access/route-definition.js';
import { AuditLog } from './audit-log.service.js';

const reading = new Set(['GET', 'HEAD']);

/**
 * Completes the audit log for handlers of operators: refusals, acts that `TenantTransactions.act` has not recorded, and
 * reads of people.
 */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(private readonly audit: AuditLog) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const route = routeDefinitionOf(request);
    // A handler of operators may also have a route of clients.
    if (route?.auth !== 'operator') return next.handle();
    if (reading.has(request.method)) {
      if (!route.readsPeople) return next.handle();
      // Before the response: a read that must be recorded does not happen without its entry.
      return next.handle().pipe(mergeMap((body) => from(this.audit.recordRead(request)).pipe(map(() => body))));
    }
    return next.handle().pipe(
      mergeMap(async (body) => {
        if (!request.audited) await this.audit.recordAct(request);
        return body as unknown;
      }),
      catchError(async (error: unknown) => {
        await this.audit.recordRefusal(request, error);
        throw error;
      }),
    );
  }
}
