import { decodeId, type IdKind, requests } from '@idsync/contracts';
import {
  Database,
  type DocumentQuery,
  findDocument,
  findDocuments,
  findHistory,
  findIdentityAt,
} from '@idsync/database';
import { Controller, Get, Inject, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { badRequest, notFound } from './api-error.js';
import { callerOf } from './authenticate.js';
import { readCursor, readSequence, writeCursor, writeSequence } from './cursor.js';
import { presentEvent } from './present.js';
import { sendJson } from './send-json.js';
import { validate } from './validate.js';

@Controller('v1')
export class DirectoryController {
  constructor(@Inject(Database) private readonly database: Database) {}

  @Get('identities')
  async listIdentities(@Req() request: FastifyRequest, @Query() query: unknown, @Res() reply: FastifyReply) {
    sendJson(reply, await this.page(request, 'identity', query));
  }

  @Get('identities/:id')
  async getIdentity(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Query() query: unknown,
    @Res() reply: FastifyReply,
  ) {
    const { at } = validate(requests.identityQuery, query);
    if (at === undefined) return sendJson(reply, await this.one(request, 'identity', id));
    const { tenantId } = callerOf(request);
    const document = await findIdentityAt(this.database, tenantId, uuidOf('identity', id), new Date(at));
    if (document === undefined) throw notFound();
    return sendJson(reply, document);
  }

  @Get('users')
  async listUsers(@Req() request: FastifyRequest, @Query() query: unknown, @Res() reply: FastifyReply) {
    sendJson(reply, await this.page(request, 'user', query));
  }

  @Get('users/:id')
  async getUser(@Req() request: FastifyRequest, @Param('id') id: string, @Res() reply: FastifyReply) {
    sendJson(reply, await this.one(request, 'user', id));
  }

  @Get('identities/:id/history')
  async history(@Req() request: FastifyRequest, @Param('id') id: string, @Query() query: unknown) {
    const { tenantId } = callerOf(request);
    const { limit, offset, updated_since, cursor } = validate(requests.historyQuery, query);
    const afterSequence = cursor === undefined ? undefined : readSequence(cursor);
    const page = await findHistory(this.database, tenantId, uuidOf('identity', id), {
      limit,
      offset: cursor === undefined ? offset : 0,
      afterSequence,
      since: updated_since === undefined ? undefined : new Date(updated_since),
    });
    if (!page) throw notFound();
    const last = page.events.at(-1);
    const more = cursor !== undefined && page.events.length === limit && last;
    return {
      data: page.events.map(presentEvent),
      total: page.total,
      limit,
      offset: cursor === undefined ? offset : 0,
      ...(more && { next_cursor: writeSequence(last.sequence) }),
    };
  }

  private async page(request: FastifyRequest, resource: 'identity' | 'user', input: unknown): Promise<string> {
    const { tenantId } = callerOf(request);
    const { limit, offset, status, updated_since, cursor } = validate(requests.directoryQuery, input);
    const query: DocumentQuery = {
      limit,
      offset: cursor === undefined ? offset : 0,
      status,
      updatedSince: updated_since === undefined ? undefined : new Date(updated_since),
      after: cursor === undefined ? undefined : readCursor(cursor),
    };
    const page = await findDocuments(this.database, tenantId, resource, query);
    const more = cursor !== undefined && page.last && page.count === limit;
    const next = more && page.last ? `,"next_cursor":"${writeCursor(page.last)}"` : '';
    return `{"data":[${page.items}],"total":${page.total},"limit":${limit},"offset":${query.offset}${next}}`;
  }

  private async one(request: FastifyRequest, resource: 'identity' | 'user', id: string): Promise<string> {
    const document = await findDocument(this.database, callerOf(request).tenantId, resource, uuidOf(resource, id));
    if (document === undefined) throw notFound();
    return document;
  }
}

/** The uuid behind a public id; a text that is not such an id names nothing. */
export function uuidOf(kind: IdKind, id: string): string {
  const uuid = decodeId(kind, id);
  if (uuid === undefined) throw notFound();
  return uuid;
}

/** The uuid behind an id that stands in a body; there, another text is a mistake and not a thing that is missing. */
export function bodyId(kinds: readonly IdKind[], id: string): string {
  for (const kind of kinds) {
    const uuid = decodeId(kind, id);
    if (uuid !== undefined) return uuid;
  }
  throw badRequest(`${JSON.stringify(id)} is no id of its kind`);
}
