// A client of the gateway that retries while the gateway or its dependencies are being killed.
import { setTimeout as pause } from 'node:timers/promises';

const retryForMs = 90_000;
const ended = new Set(['completed', 'completed_with_errors', 'failed', 'cancelled', 'quarantined']);

export class Client {
  constructor(url, headers) {
    this.url = url;
    this.headers = headers;
  }

  get(path) {
    return this.call('GET', path);
  }

  post(path, body) {
    return this.call('POST', path, body);
  }

  /** Returns the body of a 2xx. Retries without an answer and on 5xx. */
  async call(method, path, body) {
    for (const end = Date.now() + retryForMs; ; await pause(250)) {
      const answer = await this.#once(method, path, body).catch((error) => ({ status: 599, text: String(error) }));
      if (answer.status < 300) return JSON.parse(answer.text);
      if (answer.status < 500 || Date.now() > end)
        throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    }
  }

  async #once(method, path, body) {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { ...this.headers, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(15_000),
    });
    return { status: response.status, text: await response.text() };
  }

  async jobEnd(jobId) {
    for (const end = Date.now() + 2 * retryForMs; ; await pause(100)) {
      const job = await this.get(`/v1/sync/jobs/${jobId}`);
      if (ended.has(job.status)) return job;
      if (Date.now() > end) throw new Error(`the job did not end: ${JSON.stringify(job)}`);
    }
  }
}
