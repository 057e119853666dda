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
import { Controller, Get, Headers, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ReadsPeople } from '../audit/audit.interceptor.js';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { orNotFound } from '../http/api-error.js';
import { uuidOf } from '../http/ids.js';
import { PublicId, TenantParam } from '../http/public-id.pipe.js';
import { validate } from '../http/validate.js';
import { ZodQuery } from '../http/zod.pipe.js';
import { readSequence, writeSequence } from '../shared/cursor.js';
import { EventStreams } from './event-streams.service.js';
import { presentOperatorEvent } from './present-operator-event.js';
import { TenantTransactions } from './tenant-transactions.service.js';

@Controller('admin/v1/tenants/:tenantId')
@OperatorAccess({ read: 'viewer', write: 'admin' })
export class OperatorEventsController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly streams: EventStreams,
  ) {}

  @Get('events')
  async list(
    @TenantParam() tenantId: string,
    @ZodQuery(requests.operatorEventQuery) query: z.infer<typeof requests.operatorEventQuery>,
  ): Promise<object> {
    const { limit, cursor, types, identity_id, subject_id, job_id, connector_id, since, until } = query;
    const { rows, next } = await this.tenants.run(tenantId, (tx) =>
      listEvents(tx, tenantId, {
        limit,
        types,
        since,
        until,
        before: cursor === undefined ? undefined : readSequence(cursor),
        identityId: identity_id === undefined ? undefined : uuidOf('identity', identity_id),
        subjectId: subject_id === undefined ? undefined : orNotFound(recordOf(subject_id))[1],
        jobId: job_id === undefined ? undefined : uuidOf('job', job_id),
        connectorId: connector_id === undefined ? undefined : uuidOf('connector', connector_id),
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
    @ZodQuery(requests.eventStreamQuery) query: z.infer<typeof requests.eventStreamQuery>,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { after } = lastEventId ? validate(requests.eventStreamQuery, { after: lastEventId }) : query;
    return this.streams.open({ tenantId, after, request, reply });
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

  /** The prefix of the id is its kind. */
  @Get('records/:recordId')
  async record(
    @TenantParam() tenantId: string,
    @Param('recordId') recordId: string,
  ): Promise<responses.OperatorRecord> {
    const [kind, id] = orNotFound(recordOf(recordId));
    const found = orNotFound(await this.tenants.run(tenantId, (tx) => findRecord(tx, tenantId, kind, id)));
    return {
      id: recordId,
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

function recordOf(recordId: string): [RecordKind, string] | undefined {
  for (const kind of recordKinds) {
    const id = decodeId(recordIds[kind], recordId);
    if (id !== undefined) return [kind, id];
  }
  return undefined;
}
