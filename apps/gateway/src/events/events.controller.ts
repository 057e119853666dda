import {
  adminRoutes,
  clientRoutes,
  decodeId,
  encodeId,
  type RecordKind,
  recordIds,
  recordKinds,
  requests,
  type responses,
} from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findActivity, findEvent, findFeedPage, findRecord, listEvents } from '@idsync/database/gateway';
import { Controller, createParamDecorator, type ExecutionContext, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { badRequest, notFound, orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { optionalUuid } from '../http/ids.js';
import { validate } from '../http/validate.js';
import { readSequence, writeSequence } from '../shared/cursor.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { EventStreams } from './event-streams.service.js';
import { presentOperatorEvent } from './present-operator-event.js';

type StreamPosition = z.infer<typeof requests.eventStreamQuery>['after'];

/** The position that a browser sends when it connects to a stream of events again. */
const LastEventId = createParamDecorator((_: unknown, context: ExecutionContext): StreamPosition | undefined => {
  const { 'last-event-id': after } = context.switchToHttp().getRequest<FastifyRequest>().headers;
  return after ? validate(requests.eventStreamQuery, { after }).after : undefined;
});

/** Returns the kind and the uuid of a record by its public id, whose prefix is the kind. Throws a 404 for an invalid id. */
function recordOf(publicId: string): { kind: RecordKind; id: string } {
  for (const kind of recordKinds) {
    const id = decodeId(recordIds[kind], publicId);
    if (id !== undefined) return { kind, id };
  }
  throw notFound();
}

@Controller()
export class EventsController {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
    private readonly streams: EventStreams,
  ) {}

  @Handles(clientRoutes.listEvents)
  async feed({ tenantId, query }: Input<typeof clientRoutes.listEvents>): Promise<Buffer> {
    const { bodies, nextAfter, hasMore, newest } = await this.database.transaction(tenantId, (tx) =>
      findFeedPage(tx, query),
    );
    // After the restore of a backup, events with numbers that the client has seen are others.
    if (nextAfter > newest) throw badRequest(`after must be at most ${newest}, the newest sequence`);
    return Buffer.from(
      `{"data":[${bodies.join(',')}],"next_after":${nextAfter},"has_more":${hasMore},"limit":${query.limit}}`,
    );
  }

  @Handles(adminRoutes.listEvents)
  async list({ tenantId, query }: Input<typeof adminRoutes.listEvents>) {
    const { cursor, identity_id, subject_id, job_id, connector_id, ...others } = query;
    const filters = {
      ...others,
      before: cursor === undefined ? undefined : readSequence(cursor),
      identityId: optionalUuid('identity', identity_id),
      subjectId: subject_id === undefined ? undefined : recordOf(subject_id).id,
      jobId: optionalUuid('job', job_id),
      connectorId: optionalUuid('connector', connector_id),
    };
    const { rows, next } = await this.tenants.run(tenantId, (tx) => listEvents(tx, filters));
    return {
      data: rows.map(presentOperatorEvent),
      limit: query.limit,
      ...(next !== undefined && { next_cursor: writeSequence(next) }),
    };
  }

  /** Nest's `@Sse()` ignores how slowly a client reads, so that its memory would have no bound. */
  @Handles(adminRoutes.getEventsStream)
  stream(
    { tenantId, query: { after } }: Input<typeof adminRoutes.getEventsStream>,
    @LastEventId() last: StreamPosition | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.streams.open({ tenantId, after: last ?? after, request, reply });
  }

  @Handles(adminRoutes.getEvent)
  async get({ tenantId, eventId: id }: Input<typeof adminRoutes.getEvent>): Promise<responses.OperatorEventDetails> {
    return this.tenants.run(tenantId, async (tx) => {
      const event = orNotFound(await findEvent(tx, id));
      const { bodies } = await findFeedPage(tx, { after: event.sequence - 1, limit: 1 });
      return { ...presentOperatorEvent(event), details: event.details, body: bodies[0] };
    });
  }

  @Handles(adminRoutes.getRecord)
  async record({ tenantId, recordId }: Input<typeof adminRoutes.getRecord>) {
    const { kind, id } = recordOf(recordId);
    const found = orNotFound(await this.tenants.run(tenantId, (tx) => findRecord(tx, kind, id)));
    return {
      id: recordId,
      kind,
      connector_id: encodeId('connector', found.connectorId),
      identity_id: found.identityId === null ? undefined : encodeId('identity', found.identityId),
    };
  }

  @Handles(adminRoutes.getActivity)
  async activity({ tenantId }: Input<typeof adminRoutes.getActivity>): Promise<responses.Activity> {
    const hours = await this.tenants.run(tenantId, (tx) => findActivity(tx));
    return { hours: hours.map(({ at, ...counts }) => ({ at: at.toISOString(), ...counts })) };
  }
}
