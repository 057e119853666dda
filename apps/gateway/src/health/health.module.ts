import { Controller, Get, Module } from '@nestjs/common';
import { Access } from '../access/access.decorator.js';

@Controller('v1/health')
@Access('none')
class HealthController {
  @Get()
  health(): { status: string } {
    return { status: 'ok' };
  }
}

@Module({ controllers: [HealthController] })
export class HealthModule {}
