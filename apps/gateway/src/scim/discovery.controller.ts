import { All, Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, notFound } from '../api-error.js';
import { baseOf, send } from './answer.js';
import { describedSchemas, listResponse, resourceTypes, serviceProviderConfig } from './discovery.js';

type Asked = Readonly<Record<string, unknown>>;

/** What the SCIM service of a connector can do (RFC 7644, section 4), and what it does not. */
@Controller('scim/v2/:connectorId')
export class DiscoveryController {
  @Get('ServiceProviderConfig')
  config(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): object {
    return send(reply, serviceProviderConfig(baseOf(request)));
  }

  @Get('ResourceTypes')
  types(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Query() query: Asked,
  ): object {
    refuseFilter(query);
    const types = [...resourceTypes(baseOf(request)).values()];
    return send(reply, listResponse(types, types.length));
  }

  @Get('ResourceTypes/:name')
  type(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('name') name: string,
  ): object {
    return send(reply, there(resourceTypes(baseOf(request)).get(name)));
  }

  @Get('Schemas')
  schemas(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Query() query: Asked,
  ): object {
    refuseFilter(query);
    const schemas = [...describedSchemas(baseOf(request)).values()];
    return send(reply, listResponse(schemas, schemas.length));
  }

  @Get('Schemas/:urn')
  schema(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('urn') urn: string,
  ): object {
    return send(reply, there(describedSchemas(baseOf(request)).get(urn)));
  }

  @All(['Bulk', 'Me'])
  unsupported(): never {
    throw new ApiError(501, 'this is not offered');
  }
}

/** What there is to know of the service is not filtered (RFC 7644, section 4). */
function refuseFilter(query: Asked): void {
  if (query.filter !== undefined) throw new ApiError(403, 'this list cannot be filtered');
}

function there<T>(found: T | undefined): T {
  if (found === undefined) throw notFound();
  return found;
}
