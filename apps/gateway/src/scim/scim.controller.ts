import { Database } from '@idsync/database';
import type { ScimDocument, ScimKind } from '@idsync/database/scim';
import { Body, Controller, Delete, Get, Headers, HttpCode, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Access } from '../access/access.decorator.js';
import { type Conditional, IfNoneMatch, unlessUnchanged } from '../http/conditional.decorator.js';
import { listResponse } from './discovery.js';
import { etag, locationOf, presentResource } from './present-resource.js';
import { PushGroups } from './push-groups.service.js';
import {
  changeResource,
  createResource,
  deleteResource,
  findResource,
  listResources,
  type ScimChange,
} from './scim-directory.js';
import { documentOf, replaced, topLevel } from './scim-document.js';
import { refused } from './scim-error.js';
import { readFilter } from './scim-filter.js';
import { applyPatch, type MemberEdit, memberIds, readPatch } from './scim-patch.js';
import { omitsBody, pageOf, type ScimQuery, text } from './scim-query.js';
import { Requested, type ScimRequest } from './scim-request.decorator.js';

type Json = Record<string, unknown>;

/** SCIM 2.0 (RFC 7643, 7644) for identity providers that push users and groups to a connector. */
@Controller('scim/v2/:connectorId')
@Access('scim-token')
export class ScimController {
  constructor(
    private readonly database: Database,
    private readonly pushes: PushGroups,
  ) {}

  @Get(':kinds')
  async list(
    @Requested() { scope, base, selection, withMemberships }: ScimRequest,
    @Query() query: ScimQuery,
  ): Promise<object> {
    const filter = readFilter(scope.kind, text(query, 'filter'));
    const page = pageOf(query);
    const { found, total } = await listResources(this.database, scope, filter, { ...page, withMemberships });
    return listResponse(
      found.map((each) => presentResource(each, base, selection)),
      total,
      page.offset + 1,
    );
  }

  @Post(':kinds')
  async create(
    @Requested() { scope, base, selection, withMemberships }: ScimRequest,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const created = await createResource(this.pushes, scope, replacementOf(scope.kind, body), withMemberships);
    reply.headers({ location: locationOf(created.row, base), etag: etag(created.row) });
    return presentResource(created, base, selection);
  }

  @Get(':kinds/:id')
  async get(
    @Requested() { scope, base, selection, withMemberships }: ScimRequest,
    @Param('id') id: string,
    @IfNoneMatch() condition: Conditional,
  ): Promise<object | undefined> {
    const found = await findResource(this.database, scope, id, withMemberships);
    return unlessUnchanged(condition, etag(found.row), presentResource(found, base, selection));
  }

  @Put(':kinds/:id')
  async replace(
    @Requested() { scope, base, selection, withMemberships }: ScimRequest,
    @Param('id') id: string,
    @Body() body: unknown,
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { document, members } = replacementOf(scope.kind, body);
    const change = (before: ScimDocument) => ({ document: replaced(before, document), members });
    const changed = await changeResource(this.pushes, scope, id, { ifMatch, change, withMemberships });
    reply.header('etag', etag(changed.row));
    return presentResource(changed, base, selection);
  }

  @Patch(':kinds/:id')
  async patch(
    @Requested() { scope, base, selection, withMemberships }: ScimRequest,
    @Param('id') id: string,
    @Body() body: unknown,
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object | undefined> {
    const { operations, members } = readPatch(scope.kind, jsonObject(body));
    const isEmpty = omitsBody(scope.kind, selection);
    const changed = await changeResource(this.pushes, scope, id, {
      ifMatch,
      change: (before) => ({ document: applyPatch(scope.kind, before, operations), members }),
      withMemberships: !isEmpty && withMemberships,
    });
    reply.header('etag', etag(changed.row));
    if (!isEmpty) return presentResource(changed, base, selection);
    reply.status(204);
    return undefined;
  }

  @Delete(':kinds/:id')
  @HttpCode(204)
  async delete(
    @Requested() { scope }: ScimRequest,
    @Param('id') id: string,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<void> {
    await deleteResource(this.pushes, scope, id, ifMatch);
  }
}

/** Reads a complete resource. A group without `members` keeps its members. */
function replacementOf(kind: ScimKind, body: unknown): ScimChange {
  const given = jsonObject(body);
  const list =
    kind === 'Group' ? topLevel(kind, given).find(([name]) => name.toLowerCase() === 'members')?.[1] : undefined;
  const members: MemberEdit[] = list === undefined || list === null ? [] : [{ op: 'replace', ids: memberIds(list) }];
  return { document: documentOf(kind, given), members };
}

function jsonObject(body: unknown): Json {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Json;
  throw refused('invalidSyntax', 'the body must be a JSON object');
}
