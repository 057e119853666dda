import { Database, type ScimKind, type ScimPlace, type ScimResourceRow } from '@idsync/database';
import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Patch,
  Post,
  Put,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../api-error.js';
import { callerOf } from '../authenticate.js';
import { baseOf, send } from './answer.js';
import { largestPage, listResponse } from './discovery.js';
import { etag, locationOf, presentResource, readNames, type Shown, shows } from './present-resource.js';
import {
  changeResource,
  createResource,
  deleteResource,
  findResource,
  listResources,
  type ScimChange,
  type ScimFound,
} from './scim-directory.js';
import { documentOf } from './scim-document.js';
import { refused } from './scim-error.js';
import { readFilter } from './scim-filter.js';
import { applyPatch, type MemberEdit, memberIds, readPatch } from './scim-patch.js';
import { Turns } from './turns.js';

type Asked = Readonly<Record<string, unknown>>;
type Json = Record<string, unknown>;

const usualPage = 100;
/** Fewer in all than the gateway has connections; a request waits as long as identity providers do not mind. */
const limits = { each: 2, all: 4, queued: 100, waitMs: 10_000 };
const endsOf = { User: 'groups', Group: 'members' } as const;

/** SCIM 2.0 (RFC 7643, 7644) for identity providers that push users and groups to a connector. */
@Controller('scim/v2/:connectorId')
export class ScimController {
  private readonly turns = new Turns(limits);

  constructor(@Inject(Database) private readonly database: Database) {}

  @Get(':kinds')
  async list(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('kinds') kinds: string,
    @Query() query: Asked,
  ): Promise<object> {
    const place = placeOf(request, kinds);
    const filter = readFilter(place.kind, text(query, 'filter'));
    const startIndex = Math.max(1, whole(query, 'startIndex', 1));
    const limit = Math.min(largestPage, Math.max(0, whole(query, 'count', usualPage)));
    const shown = shownBy(query);
    const page = { offset: startIndex - 1, limit, ends: shows(endsOf[place.kind], shown) };
    const { found, total } = await this.inTurn(place, () => listResources(this.database, place, filter, page));
    const base = baseOf(request);
    return send(
      reply,
      listResponse(
        found.map(({ row, ends }) => presentResource(row, ends, base, shown)),
        total,
        startIndex,
      ),
    );
  }

  @Post(':kinds')
  @HttpCode(201)
  async create(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('kinds') kinds: string,
    @Body() body: unknown,
    @Query() query: Asked,
  ): Promise<object> {
    const place = placeOf(request, kinds);
    const change = wholeOf(place.kind, body);
    const shown = shownBy(query);
    const ends = shows(endsOf[place.kind], shown);
    const found = await this.inTurn(place, () => createResource(this.database, place, change, ends));
    reply.header('location', locationOf(found.row, baseOf(request)));
    return show(request, reply, found, shown);
  }

  @Get(':kinds/:id')
  async get(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('kinds') kinds: string,
    @Param('id') id: string,
    @Query() query: Asked,
  ): Promise<object | undefined> {
    const place = placeOf(request, kinds);
    const shown = shownBy(query);
    const found = await this.inTurn(place, () =>
      findResource(this.database, place, id, shows(endsOf[place.kind], shown)),
    );
    const known = request.headers['if-none-match'];
    if (known !== undefined && names(known, found.row)) {
      reply.status(304).header('etag', etag(found.row));
      return undefined;
    }
    return show(request, reply, found, shown);
  }

  @Put(':kinds/:id')
  async replace(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('kinds') kinds: string,
    @Param('id') id: string,
    @Body() body: unknown,
    @Query() query: Asked,
  ): Promise<object> {
    const place = placeOf(request, kinds);
    const change = wholeOf(place.kind, body);
    const shown = shownBy(query);
    const ends = shows(endsOf[place.kind], shown);
    const found = await this.inTurn(place, () =>
      changeResource(this.database, place, id, {
        wanted: wantedBy(request),
        change: () => change,
        ends,
      }),
    );
    return show(request, reply, found, shown);
  }

  /** A group may have a hundred thousand members, so it is shown only to who says what of it (RFC 7644, section 3.5.2). */
  @Patch(':kinds/:id')
  async patch(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('kinds') kinds: string,
    @Param('id') id: string,
    @Body() body: unknown,
    @Query() query: Asked,
  ): Promise<object | undefined> {
    const place = placeOf(request, kinds);
    const { operations, members } = readPatch(place.kind, jsonObject(body));
    const shown = shownBy(query);
    const silent = place.kind === 'Group' && shown.only === undefined;
    const found = await this.inTurn(place, () =>
      changeResource(this.database, place, id, {
        wanted: wantedBy(request),
        change: ({ document }) => ({ document: applyPatch(place.kind, document, operations), members }),
        ends: !silent && shows(endsOf[place.kind], shown),
      }),
    );
    if (!silent) return show(request, reply, found, shown);
    reply.status(204).header('etag', etag(found.row));
    return undefined;
  }

  @Delete(':kinds/:id')
  @HttpCode(204)
  async delete(@Req() request: FastifyRequest, @Param('kinds') kinds: string, @Param('id') id: string): Promise<void> {
    const place = placeOf(request, kinds);
    await this.inTurn(place, () => deleteResource(this.database, place, id, wantedBy(request)));
  }

  private inTurn<T>({ connectorId }: ScimPlace, work: () => Promise<T>): Promise<T> {
    return this.turns.take(connectorId, work);
  }
}

/** Whose token it is, says which connector is meant; the authentication has compared it with the address. */
function placeOf(request: FastifyRequest, kinds: string): ScimPlace {
  const { tenantId, connectorId } = callerOf(request);
  const kind: ScimKind | undefined = kinds === 'Users' ? 'User' : kinds === 'Groups' ? 'Group' : undefined;
  if (kind === undefined || connectorId === undefined) throw notFound();
  return { tenantId, connectorId, kind };
}

/** Everything that a body says of a resource. A group without `members` keeps those it has. */
function wholeOf(kind: ScimKind, body: unknown): ScimChange {
  const given = jsonObject(body);
  const list =
    kind === 'Group' ? Object.entries(given).find(([name]) => name.toLowerCase() === 'members')?.[1] : undefined;
  const members: MemberEdit[] = list === undefined || list === null ? [] : [{ op: 'replace', ids: memberIds(list) }];
  return { document: documentOf(kind, given), members };
}

function show(request: FastifyRequest, reply: FastifyReply, { row, ends }: ScimFound, shown: Shown): object {
  reply.header('etag', etag(row));
  return send(reply, presentResource(row, ends, baseOf(request), shown));
}

function wantedBy(request: FastifyRequest): (row: ScimResourceRow) => boolean {
  const expected = request.headers['if-match'];
  return (row) => expected === undefined || names(expected, row);
}

/** Whether a header of conditions names the version; ours are weak, and a proxy may have taken the mark of it away. */
function names(header: string, row: ScimResourceRow): boolean {
  const bare = (tag: string) => tag.trim().replace(/^W\//, '');
  return header.split(',').some((tag) => tag.trim() === '*' || bare(tag) === bare(etag(row)));
}

function shownBy(query: Asked): Shown {
  const [only, without] = [readNames(text(query, 'attributes')), readNames(text(query, 'excludedAttributes'))];
  return { ...(only && { only }), ...(without && { without }) };
}

function text(query: Asked, name: string): string | undefined {
  const value = query[name];
  if (value === undefined || typeof value === 'string') return value;
  throw refused('invalidValue', `${name} is given more than once`);
}

/** What is no number is taken for the usual, as RFC 7644 has it for numbers that make no sense. */
function whole(query: Asked, name: string, usual: number): number {
  const value = text(query, name);
  return value !== undefined && /^-?\d{1,9}$/.test(value) ? Number(value) : usual;
}

function jsonObject(body: unknown): Json {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Json;
  throw refused('invalidSyntax', 'the body must be a JSON object');
}
