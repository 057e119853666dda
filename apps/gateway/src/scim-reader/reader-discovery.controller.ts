import { Controller, Delete, Patch, Post, Put } from '@nestjs/common';
import { Access } from '../access/access.decorator.js';
import { ApiError } from '../http/api-error.js';
import { DiscoveryEndpoints } from '../scim/discovery.controller.js';
import { readService } from './reader-schemas.js';

const readsOnly = 'this service reads only; identity providers push to /scim/v2/{connector}';

/** Discovery endpoints of the SCIM service that reads, and endpoints that it does not have. */
@Controller('scim/v2')
@Access('scim-key')
export class ReaderDiscoveryController extends DiscoveryEndpoints {
  constructor() {
    super(readService, readsOnly);
  }

  @Post(['Users', 'Groups', 'Users/.search', 'Groups/.search'])
  create(): never {
    throw new ApiError(501, readsOnly);
  }

  @Put(['Users/:id', 'Groups/:id'])
  replace(): never {
    throw new ApiError(501, readsOnly);
  }

  @Patch(['Users/:id', 'Groups/:id'])
  patch(): never {
    throw new ApiError(501, readsOnly);
  }

  @Delete(['Users/:id', 'Groups/:id'])
  delete(): never {
    throw new ApiError(501, readsOnly);
  }
}
