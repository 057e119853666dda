import { clientRoutes } from '@idsync/contracts';
import { Controller } from '@nestjs/common';
import { Handles } from '../http/handles.decorator.js';

@Controller()
export class HealthController {
  @Handles(clientRoutes.getHealth)
  health(): { status: string } {
    return { status: 'ok' };
  }
}
