import { decodeId, type responses } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findGroup, findGroupsOf, type NamedGroup } from '@idsync/database/gateway';
import { Controller, Get, Param, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Access, CurrentTenant } from '../access/access.decorator.js';
import { ApiError, orNotFound } from '../http/api-error.js';
import { type Conditional, IfNoneMatch, unlessUnchanged } from '../http/conditional.decorator.js';
import { uuidOf } from '../http/ids.js';
import type { AttributeSelection } from '../scim/present-resource.js';
import { refused } from '../scim/scim-error.js';
import { type ScimQuery, selectionOf, text } from '../scim/scim-query.js';
import { BaseUrl } from '../scim/scim-request.decorator.js';
import { findGroups, findMembers, findUser, findUsers } from './find-resources.js';
import { type Presented, presentGroup, presentUser, reduced } from './present-resource.js';
import { readCriteria } from './read-criteria.js';
import { pageResponse, readPage } from './read-page.js';

/** SCIM 2.0 (RFC 7643, 7644, 9865) for clients that read the users and groups of a tenant. */
@Controller('scim/v2')
@Access('scim-key')
export class ScimReaderController {
  constructor(private readonly database: Database) {}

  @Get('Users')
  async users(@CurrentTenant() tenantId: string, @BaseUrl() base: string, @Query() query: ScimQuery): Promise<object> {
    const [page, selection] = [readPage(query), selectionOf(query)];
    const found = await findUsers(this.database, tenantId, readCriteria('User', text(query, 'filter')), page);
    const presented = await this.presentUsers(tenantId, found.items, base);
    return pageResponse(
      presented.map((each) => reduced(each, selection)),
      found,
      page,
    );
  }

  @Get('Users/:id')
  async user(
    @CurrentTenant() tenantId: string,
    @BaseUrl() base: string,
    @Param('id') publicId: string,
    @Query() query: ScimQuery,
    @IfNoneMatch() condition: Conditional,
  ): Promise<object | undefined> {
    const user = orNotFound(await findUser(this.database, tenantId, uuidOf('user', publicId)));
    const [presented] = await this.presentUsers(tenantId, [user], base);
    return answer(orNotFound(presented), selectionOf(query), condition);
  }

  @Get('Groups')
  async groups(@CurrentTenant() tenantId: string, @BaseUrl() base: string, @Query() query: ScimQuery): Promise<object> {
    const [page, selection] = [readPage(query), selectionOf(query)];
    if (requestsMembers(selection)) throw refused('tooMany', 'members are returned for one group only, by its id');
    const found = await findGroups(this.database, tenantId, readCriteria('Group', text(query, 'filter')), page);
    return pageResponse(
      found.items.map((group) => reduced(presentGroup(group, undefined, base), selection)),
      found,
      page,
    );
  }

  @Get('Groups/:id')
  async group(
    @CurrentTenant() tenantId: string,
    @BaseUrl() base: string,
    @Param('id') publicId: string,
    @Query() query: ScimQuery,
    @IfNoneMatch() condition: Conditional,
    @Req() { caller }: FastifyRequest,
  ): Promise<object | undefined> {
    const id = uuidOf('group', publicId);
    const selection = selectionOf(query);
    const withMembers = requestsMembers(selection);
    if (withMembers && !(caller?.access === 'key' && caller.scopes.has('users:read')))
      throw new ApiError(403, 'the key lacks the scope users:read, which members need');
    const group = orNotFound(await findGroup(this.database, tenantId, id));
    const members = withMembers ? await findMembers(this.database, tenantId, id) : undefined;
    return answer(presentGroup(group, members, base), selection, condition);
  }

  private async presentUsers(tenantId: string, users: readonly responses.User[], base: string): Promise<Presented[]> {
    const recordIdOf = (user: responses.User) => decodeId('user', user.id) ?? '';
    const grouped = users.filter(({ groups }) => groups.length > 0).map(recordIdOf);
    const groups =
      grouped.length > 0 ? await findGroupsOf(this.database, tenantId, grouped) : new Map<string, NamedGroup[]>();
    return users.map((user) => presentUser(user, groups.get(recordIdOf(user)) ?? [], base));
  }
}

function requestsMembers({ only }: AttributeSelection): boolean {
  return only?.some((path) => path === 'members' || path.startsWith('members.')) ?? false;
}

function answer(resource: Presented, selection: AttributeSelection, condition: Conditional): object | undefined {
  return unlessUnchanged(condition, resource.version, reduced(resource, selection));
}
