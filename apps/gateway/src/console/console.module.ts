import { Module } from '@nestjs/common';
import { ConsoleFiles } from './console-files.service.js';

@Module({ providers: [ConsoleFiles] })
export class ConsoleModule {}
