import type { gatewayEnvironment } from '@idsync/runtime';
import type { z } from 'zod';

/** The gateway's settings under the names of their environment variables. */
export type GatewayConfig = z.infer<typeof gatewayEnvironment>;
