import { All, Controller, Get, Param, Query, UseInterceptors } from '@nestjs/common';
import { Access } from '../access/access.decorator.js';
import { ApiError, orNotFound } from '../http/api-error.js';
import { describedSchemas, listResponse, refuseFilter, resourceTypes, serviceProviderConfig } from './discovery.js';
import { ScimJsonInterceptor } from './scim-json.interceptor.js';
import { BaseUrl } from './scim-parameters.decorator.js';
import type { ScimQuery } from './scim-query.js';

/** Discovery endpoints of a connector's SCIM service (RFC 7644, section 4), and endpoints that are not supported. */
@Controller('scim/v2/:connectorId')
@Access('scim-token')
@UseInterceptors(ScimJsonInterceptor)
export class DiscoveryController {
  @Get('ServiceProviderConfig')
  config(@BaseUrl() base: string): object {
    return serviceProviderConfig(base);
  }

  @Get('ResourceTypes')
  types(@BaseUrl() base: string, @Query() query: ScimQuery): object {
    refuseFilter(query);
    const types = [...resourceTypes(base).values()];
    return listResponse(types, types.length);
  }

  @Get('ResourceTypes/:name')
  type(@BaseUrl() base: string, @Param('name') name: string): object {
    return orNotFound(resourceTypes(base).get(name));
  }

  @Get('Schemas')
  schemas(@BaseUrl() base: string, @Query() query: ScimQuery): object {
    refuseFilter(query);
    const schemas = [...describedSchemas(base).values()];
    return listResponse(schemas, schemas.length);
  }

  @Get('Schemas/:urn')
  schema(@BaseUrl() base: string, @Param('urn') urn: string): object {
    return orNotFound(describedSchemas(base).get(urn));
  }

  @All(['Bulk', 'Me'])
  unsupported(): never {
    throw new ApiError(501, 'Bulk and Me are not supported');
  }
}
