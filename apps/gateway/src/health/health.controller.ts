import { Controller, Get } from '@nestjs/common';
import { Access } from '../access/access.decorator.js';

@Controller('v1/health')
@Access('none')
export class HealthController {
  @Get()
  health(): { status: string } {
    return { status: 'ok' };
  }
}
