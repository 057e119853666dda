import { UnknownKeyLimits } from '../access/unknown-key-limits.js';

/** Requests to the identity provider at a time, each of which may take its whole time limit. */
const requests = { each: 3, all: 20, queued: 50, waitMs: 5_000, bytes: { each: 0, all: 0 } };

/** Limits what callers without a sign-in can have the gateway ask the identity provider. */
export class ProviderLimits extends UnknownKeyLimits {
  constructor() {
    super(requests);
  }
}
