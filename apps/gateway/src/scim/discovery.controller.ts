import { Controller, Get, Param, Query } from '@nestjs/common';
import { Access } from '../access/access.decorator.js';
import { ApiError, orNotFound } from '../http/api-error.js';
import { type Discovery, listResponse, pushService } from './discovery.js';
import type { ScimQuery } from './scim-query.js';
import { BaseUrl } from './scim-request.decorator.js';

/** Discovery endpoints of a SCIM service (RFC 7644, section 4). */
export abstract class DiscoveryEndpoints {
  protected constructor(private readonly service: (base: string) => Discovery) {}

  @Get('ServiceProviderConfig')
  config(@BaseUrl() base: string): object {
    return this.service(base).config;
  }

  @Get('ResourceTypes')
  types(@BaseUrl() base: string, @Query() query: ScimQuery): object {
    return listOf(this.service(base).types, query);
  }

  @Get('ResourceTypes/:name')
  type(@BaseUrl() base: string, @Param('name') name: string): object {
    return orNotFound(this.service(base).types.get(name));
  }

  @Get('Schemas')
  schemas(@BaseUrl() base: string, @Query() query: ScimQuery): object {
    return listOf(this.service(base).schemas, query);
  }

  @Get('Schemas/:urn')
  schema(@BaseUrl() base: string, @Param('urn') urn: string): object {
    return orNotFound(this.service(base).schemas.get(urn));
  }
}

/** Discovery endpoints reject filters (RFC 7644, section 4). */
function listOf(all: ReadonlyMap<string, object>, query: ScimQuery): object {
  if (query.filter !== undefined) throw new ApiError(403, 'this list cannot be filtered');
  return listResponse([...all.values()], all.size);
}

/** Discovery endpoints of a connector's SCIM service. */
@Controller('scim/v2/:connectorId')
@Access('scim-token')
export class DiscoveryController extends DiscoveryEndpoints {
  constructor() {
    super(pushService);
  }
}
