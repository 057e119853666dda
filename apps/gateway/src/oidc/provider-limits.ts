import { UnknownKeyLimits } from '../access/unknown-key-limits.js';
import { asSignInError, type SignInError } from './sign-in-error.js';

/** Requests to the identity provider at a time, each of which may take its whole time limit. */
const requests = { each: 3, all: 20, queued: 50, waitMs: 5_000, bytes: { each: 0, all: 0 } };

/** Limits what callers without a sign-in can have the gateway ask the identity provider. */
export class ProviderLimits extends UnknownKeyLimits {
  constructor() {
    super(requests);
  }

  /** Asks the identity provider. A refusal counts, because the caller may have invented the question. */
  async ask<T>(address: string, question: () => Promise<T>): Promise<T> {
    let refusal: SignInError | undefined;
    const answer = await this.lookUp(address, async () => {
      try {
        return { value: await question() };
      } catch (error) {
        refusal = asSignInError(error);
        if (refusal.code === 'provider_unavailable') throw refusal;
        return undefined;
      }
    });
    if (!answer) throw refusal;
    return answer.value;
  }
}
