import { hasBroker } from './broker-vhost.js';

/** `describe` of Jest. */
export interface Define {
  (title: string, body: () => void): void;
  skip(title: string, body: () => void): void;
}

/**
 * Defines a suite per variant, as `describe.each` does. A variant that this machine cannot run is skipped, not left out,
 * because only skipped tests are compared with the list of allowed skips.
 */
export function eachVariant<T extends string>(define: Define, variants: readonly T[], canRun: (variant: T) => boolean) {
  return (title: string, body: (variant: T) => void): void => {
    for (const variant of variants) {
      (canRun(variant) ? define : define.skip)(title.replace('%s', variant), () => body(variant));
    }
  };
}

/** Defines a suite per driver of the bus. */
export const eachBus = (define: Define) =>
  eachVariant(define, ['postgres', 'amqp'], (driver) => driver === 'postgres' || hasBroker());
