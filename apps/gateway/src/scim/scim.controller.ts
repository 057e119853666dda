import { Database } from '@idsync/database';
import type { ScimKind, ScimResourceRow, ScimScope } from '@idsync/database/scim';
import {
  Body,
  Controller,
  Delete,
  Get,
  Headers,
  HttpCode,
  Param,
  Patch,
  Post,
  Put,
  Query,
  Res,
  UseInterceptors,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Access } from '../access/access.decorator.js';
import { namesVersion } from '../http/names-version.js';
import { listResponse } from './discovery.js';
import { etag, locationOf, presentResource } from './present-resource.js';
import { PushGroups } from './push-groups.service.js';
import { largestPage } from './scim-bounds.js';
import {
  changeResource,
  createResource,
  deleteResource,
  findResource,
  listResources,
  type ScimChange,
} from './scim-directory.js';
import { documentOf } from './scim-document.js';
import { refused } from './scim-error.js';
import { readFilter } from './scim-filter.js';
import { ScimJsonInterceptor } from './scim-json.interceptor.js';
import { BaseUrl, Scope } from './scim-parameters.decorator.js';
import { applyPatch, type MemberEdit, memberIds, readPatch } from './scim-patch.js';
import { integerOf, omitsBody, type ScimQuery, selectionOf, showsMemberships, text } from './scim-query.js';

type Json = Record<string, unknown>;

const defaultPage = 100;

/** SCIM 2.0 (RFC 7643, 7644) for identity providers that push users and groups to a connector. */
@Controller('scim/v2/:connectorId')
@Access('scim-token')
@UseInterceptors(ScimJsonInterceptor)
export class ScimController {
  constructor(
    private readonly database: Database,
    private readonly pushes: PushGroups,
  ) {}

  @Get(':kinds')
  async list(@Scope() scope: ScimScope, @BaseUrl() base: string, @Query() query: ScimQuery): Promise<object> {
    const filter = readFilter(scope.kind, text(query, 'filter'));
    const startIndex = Math.max(1, integerOf(query, 'startIndex', 1));
    const limit = Math.min(largestPage, Math.max(0, integerOf(query, 'count', defaultPage)));
    const selection = selectionOf(query);
    const page = { offset: startIndex - 1, limit, withMemberships: showsMemberships(scope.kind, selection) };
    const { found, total } = await listResources(this.database, scope, filter, page);
    return listResponse(
      found.map(({ row, memberships }) => presentResource(row, memberships, base, selection)),
      total,
      startIndex,
    );
  }

  @Post(':kinds')
  async create(
    @Scope() scope: ScimScope,
    @BaseUrl() base: string,
    @Body() body: unknown,
    @Query() query: ScimQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const change = replacementOf(scope.kind, body);
    const selection = selectionOf(query);
    const { row, memberships } = await createResource(
      this.pushes,
      scope,
      change,
      showsMemberships(scope.kind, selection),
    );
    reply.headers({ location: locationOf(row, base), etag: etag(row) });
    return presentResource(row, memberships, base, selection);
  }

  @Get(':kinds/:id')
  async get(
    @Scope() scope: ScimScope,
    @BaseUrl() base: string,
    @Param('id') id: string,
    @Query() query: ScimQuery,
    @Headers('if-none-match') cached: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object | undefined> {
    const selection = selectionOf(query);
    const { row, memberships } = await findResource(this.database, scope, id, showsMemberships(scope.kind, selection));
    reply.header('etag', etag(row));
    if (cached === undefined || !names(cached, row)) return presentResource(row, memberships, base, selection);
    reply.status(304);
    return undefined;
  }

  @Put(':kinds/:id')
  async replace(
    @Scope() scope: ScimScope,
    @BaseUrl() base: string,
    @Param('id') id: string,
    @Body() body: unknown,
    @Query() query: ScimQuery,
    @Headers('if-match') expected: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const change = replacementOf(scope.kind, body);
    const selection = selectionOf(query);
    const { row, memberships } = await changeResource(this.pushes, scope, id, {
      precondition: preconditionOf(expected),
      change: () => change,
      withMemberships: showsMemberships(scope.kind, selection),
    });
    reply.header('etag', etag(row));
    return presentResource(row, memberships, base, selection);
  }

  @Patch(':kinds/:id')
  async patch(
    @Scope() scope: ScimScope,
    @BaseUrl() base: string,
    @Param('id') id: string,
    @Body() body: unknown,
    @Query() query: ScimQuery,
    @Headers('if-match') expected: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object | undefined> {
    const { operations, members } = readPatch(scope.kind, jsonObject(body));
    const selection = selectionOf(query);
    const isEmpty = omitsBody(scope.kind, selection);
    const { row, memberships } = await changeResource(this.pushes, scope, id, {
      precondition: preconditionOf(expected),
      change: ({ document }) => ({ document: applyPatch(scope.kind, document, operations), members }),
      withMemberships: !isEmpty && showsMemberships(scope.kind, selection),
    });
    reply.header('etag', etag(row));
    if (!isEmpty) return presentResource(row, memberships, base, selection);
    reply.status(204);
    return undefined;
  }

  @Delete(':kinds/:id')
  @HttpCode(204)
  async delete(
    @Scope() scope: ScimScope,
    @Param('id') id: string,
    @Headers('if-match') expected: string | undefined,
  ): Promise<void> {
    await deleteResource(this.pushes, scope, id, preconditionOf(expected));
  }
}

/** Reads a complete resource. A group without `members` keeps its members. */
function replacementOf(kind: ScimKind, body: unknown): ScimChange {
  const given = jsonObject(body);
  const list =
    kind === 'Group' ? Object.entries(given).find(([name]) => name.toLowerCase() === 'members')?.[1] : undefined;
  const members: MemberEdit[] = list === undefined || list === null ? [] : [{ op: 'replace', ids: memberIds(list) }];
  return { document: documentOf(kind, given), members };
}

function preconditionOf(expected: string | undefined): (row: ScimResourceRow) => boolean {
  return (row) => expected === undefined || names(expected, row);
}

function names(header: string, row: ScimResourceRow): boolean {
  return namesVersion(header, etag(row));
}

function jsonObject(body: unknown): Json {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Json;
  throw refused('invalidSyntax', 'the body must be a JSON object');
}
