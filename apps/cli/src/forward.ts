import { Webhook } from 'standardwebhooks';

export interface Forwarded {
  /** Status of the response; absent if there was none. */
  status?: number;
  durationMs: number;
  /** Why there was no response. */
  error?: string;
}

const timeoutMs = 15_000;

/** Sends a body to a receiver with the headers of a webhook, and waits for the response for 15 s as idsync does. */
export async function forward(url: string, secret: string, event: { id: string }): Promise<Forwarded> {
  const body = JSON.stringify(event);
  const now = new Date();
  const began = performance.now();
  const durationMs = () => Math.round(performance.now() - began);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'idsync-webhooks/1',
        'webhook-id': event.id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
        'webhook-signature': new Webhook(secret).sign(event.id, now, body),
      },
      body,
      // The dispatcher follows none either.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    return { status: response.status, durationMs: durationMs() };
  } catch (error) {
    const { name, message, cause } = error as Error & { cause?: { code?: string } };
    const reason = name === 'TimeoutError' ? `no response within ${timeoutMs / 1_000} s` : (cause?.code ?? message);
    return { durationMs: durationMs(), error: reason };
  }
}
