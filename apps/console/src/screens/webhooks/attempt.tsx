import { CodeBlock } from '../../components/code-block';
import { formatDuration } from '../../components/format-time';
import { readableBody } from '../../components/readable-body';
import { wordsOf } from '../../components/status';
import { StatusBadge } from '../../components/status-badge';
import { Time } from '../../components/time';
import type { DeliveryDetails } from '../../data/api';
import styles from './webhooks.module.css';

type AttemptData = DeliveryDetails['attempts'][number];

/** One request, with its headers and what the receiver answered. */
export function Attempt({ attempt }: { attempt: AttemptData }) {
  const { number, started_at, outcome, status_code, duration_ms, error, request, response_headers, response_body } =
    attempt;
  return (
    <details className={styles.attempt}>
      <summary>
        <span className={styles.number}>#{number}</span>
        <StatusBadge tone={outcome === 'delivered' ? 'ok' : outcome ? 'bad' : 'info'}>
          {outcome ? wordsOf(outcome) : 'Under way'}
        </StatusBadge>
        {status_code !== undefined && <span>HTTP {status_code}</span>}
        {duration_ms !== undefined && <span className={styles.muted}>{formatDuration(duration_ms)}</span>}
        <span className={styles.muted}>
          <Time at={started_at} />
        </span>
      </summary>
      {error && <p className={styles.error}>{error}</p>}
      {request && <CodeBlock label="Request" text={`POST ${request.url}\n${headersText(request.headers)}`} />}
      {response_headers && (
        <CodeBlock label="Response headers" text={`HTTP ${status_code ?? ''}\n${headersText(response_headers)}`} />
      )}
      {response_body !== undefined && (
        <CodeBlock label="Response body" text={readableBody(response_body)} raw={response_body} />
      )}
    </details>
  );
}

function headersText(headers: Record<string, unknown>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join('\n');
}
