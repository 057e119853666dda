import {
  decodeId,
  encodeId,
  type RecordKind,
  recordIds,
  recordKinds,
  requests,
  type responses,
} from '@idsync/contracts';
import { findActivity, findEvent, findFeedPage, findRecord, listEvents } from '@idsync/database/gateway';
import {
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Get,
  Param,
  type PipeTransform,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ReadsPeople } from '../audit/audit.interceptor.js';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { notFound, orNotFound } from '../http/api-error.js';
import type { ParameterOf } from '../http/parameter-of.js';
import { PublicId, QueryId, TenantParam } from '../http/public-id.pipe.js';
import { validate } from '../http/validate.js';
import { ZodQuery } from '../http/zod.pipe.js';
import { readSequence, writeSequence } from '../shared/cursor.js';
import { EventStreams } from './event-streams.service.js';
import { presentOperatorEvent } from './present-operator-event.js';
import { TenantTransactions } from './tenant-transactions.service.js';

type StreamPosition = z.infer<typeof requests.eventStreamQuery>['after'];

/** The position that a browser sends when it connects to a stream of events again. */
const LastEventId = createParamDecorator((_: unknown, context: ExecutionContext): StreamPosition | undefined => {
  const { 'last-event-id': after } = context.switchToHttp().getRequest<FastifyRequest>().headers;
  return after ? validate(requests.eventStreamQuery, { after }).after : undefined;
});

/** A record by its public id, whose prefix is the kind. */
interface NamedRecord {
  kind: RecordKind;
  id: string;
  publicId: string;
}

class RecordIdPipe implements PipeTransform<string | undefined, NamedRecord | undefined> {
  transform(publicId: string | undefined): NamedRecord | undefined {
    if (publicId === undefined) return undefined;
    for (const kind of recordKinds) {
      const id = decodeId(recordIds[kind], publicId);
      if (id !== undefined) return { kind, id, publicId };
    }
    throw notFound();
  }
}

/** The record in the path. Throws a 404 for an invalid id. */
const RecordParam = (): ParameterOf<NamedRecord> => Param('recordId', new RecordIdPipe());

/** An optional record in the query. Throws a 404 for an invalid id. */
const RecordQuery = (name: string): ParameterOf<NamedRecord | undefined> => Query(name, new RecordIdPipe());

@Controller('admin/v1/tenants/:tenantId')
@OperatorAccess()
export class OperatorEventsController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly streams: EventStreams,
  ) {}

  @Get('events')
  async list(
    @TenantParam() tenantId: string,
    @QueryId('identity', 'identity_id') identityId: string | undefined,
    @RecordQuery('subject_id') subject: NamedRecord | undefined,
    @QueryId('job', 'job_id') jobId: string | undefined,
    @QueryId('connector', 'connector_id') connectorId: string | undefined,
    @ZodQuery(requests.operatorEventQuery) query: z.infer<typeof requests.operatorEventQuery>,
  ): Promise<object> {
    const { limit, cursor, types, since, until } = query;
    const { rows, next } = await this.tenants.run(tenantId, (tx) =>
      listEvents(tx, tenantId, {
        limit,
        types,
        since,
        until,
        before: cursor === undefined ? undefined : readSequence(cursor),
        identityId,
        subjectId: subject?.id,
        jobId,
        connectorId,
      }),
    );
    return {
      data: rows.map(presentOperatorEvent),
      limit,
      ...(next !== undefined && { next_cursor: writeSequence(next) }),
    };
  }

  /** Nest's `@Sse()` ignores how slowly a client reads, so that its memory would have no bound. */
  @Get('events/stream')
  stream(
    @TenantParam() tenantId: string,
    @ZodQuery(requests.eventStreamQuery) { after }: z.infer<typeof requests.eventStreamQuery>,
    @LastEventId() last: StreamPosition | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.streams.open({ tenantId, after: last ?? after, request, reply });
  }

  @Get('events/:eventId')
  @ReadsPeople(true)
  async get(@TenantParam() tenantId: string, @PublicId('event', 'eventId') id: string): Promise<object> {
    return this.tenants.run(tenantId, async (tx) => {
      const event = orNotFound(await findEvent(tx, tenantId, id));
      const { bodies } = await findFeedPage(tx, tenantId, { after: event.sequence - 1, limit: 1 });
      return { ...presentOperatorEvent(event), details: event.details, body: bodies[0] };
    });
  }

  @Get('records/:recordId')
  async record(
    @TenantParam() tenantId: string,
    @RecordParam() { kind, id, publicId }: NamedRecord,
  ): Promise<responses.OperatorRecord> {
    const found = orNotFound(await this.tenants.run(tenantId, (tx) => findRecord(tx, tenantId, kind, id)));
    return {
      id: publicId,
      kind,
      connector_id: encodeId('connector', found.connectorId),
      identity_id: found.identityId === null ? undefined : encodeId('identity', found.identityId),
    };
  }

  @Get('activity')
  async activity(@TenantParam() tenantId: string): Promise<responses.Activity> {
    const { hours, complete } = await this.tenants.run(tenantId, (tx) => findActivity(tx, tenantId));
    return { hours: hours.map(({ at, ...counts }) => ({ at: at.toISOString(), ...counts })), complete };
  }
}
