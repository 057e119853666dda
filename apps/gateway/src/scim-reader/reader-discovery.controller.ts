import { All, Controller, Delete, Get, Param, Patch, Post, Put, Query, UseInterceptors } from '@nestjs/common';
import { Access } from '../access/access.decorator.js';
import { ApiError, orNotFound } from '../http/api-error.js';
import { listResponse, refuseFilter } from '../scim/discovery.js';
import { ScimJsonInterceptor } from '../scim/scim-json.interceptor.js';
import { ReaderUrl } from '../scim/scim-parameters.decorator.js';
import type { ScimQuery } from '../scim/scim-query.js';
import { readerConfig, readerSchemas, readerTypes } from './reader-schemas.js';

/** Discovery endpoints of the SCIM service that reads (RFC 7644, section 4), and endpoints that it does not have. */
@Controller('scim/v2')
@Access('scim-key')
@UseInterceptors(ScimJsonInterceptor)
export class ReaderDiscoveryController {
  @Get('ServiceProviderConfig')
  config(@ReaderUrl() base: string): object {
    return readerConfig(base);
  }

  @Get('ResourceTypes')
  types(@ReaderUrl() base: string, @Query() query: ScimQuery): object {
    refuseFilter(query);
    const types = [...readerTypes(base).values()];
    return listResponse(types, types.length);
  }

  @Get('ResourceTypes/:name')
  type(@ReaderUrl() base: string, @Param('name') name: string): object {
    return orNotFound(readerTypes(base).get(name));
  }

  @Get('Schemas')
  schemas(@ReaderUrl() base: string, @Query() query: ScimQuery): object {
    refuseFilter(query);
    const schemas = [...readerSchemas(base).values()];
    return listResponse(schemas, schemas.length);
  }

  @Get('Schemas/:urn')
  schema(@ReaderUrl() base: string, @Param('urn') urn: string): object {
    return orNotFound(readerSchemas(base).get(urn));
  }

  @All(['Bulk', 'Me'])
  unsupported(): never {
    throw readsOnly();
  }

  @Post(['Users', 'Groups', 'Users/.search', 'Groups/.search'])
  create(): never {
    throw readsOnly();
  }

  @Put(['Users/:id', 'Groups/:id'])
  replace(): never {
    throw readsOnly();
  }

  @Patch(['Users/:id', 'Groups/:id'])
  patch(): never {
    throw readsOnly();
  }

  @Delete(['Users/:id', 'Groups/:id'])
  delete(): never {
    throw readsOnly();
  }
}

const readsOnly = () => new ApiError(501, 'this service reads only; identity providers push to /scim/v2/{connector}');
