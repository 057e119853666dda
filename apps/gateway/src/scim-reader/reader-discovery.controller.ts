import { Controller } from '@nestjs/common';
import { Access } from '../access/access.decorator.js';
import { DiscoveryEndpoints } from '../scim/discovery.controller.js';
import { readService } from './reader-schemas.js';

/** Discovery endpoints of the SCIM service that reads. */
@Controller('scim/v2')
@Access('scim-key')
export class ReaderDiscoveryController extends DiscoveryEndpoints {
  constructor() {
    super(readService);
  }
}
