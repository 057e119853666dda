import { Module } from '@nestjs/common';
import { ReaderDiscoveryController } from './reader-discovery.controller.js';
import { ScimReaderController } from './scim-reader.controller.js';

/** `/scim/v2`: routes for SCIM clients that read, with an API key. */
@Module({ controllers: [ReaderDiscoveryController, ScimReaderController] })
export class ScimReaderModule {}
