import type { DeliveryDetails } from '@idsync/client/operator';
import type { ComponentProps } from 'react';
import styles from './attempt.module.css';
import { BodyView } from './body-view';
import { CodeBlock } from './code-block';
import { formatDuration } from './format-time';
import { Icon } from './icon';
import { wordsOf } from './status';
import { StatusBadge } from './status-badge';
import { Time } from './time';

type AttemptData = DeliveryDetails['attempts'][number];

/** One request, with its headers and what the receiver answered. */
export function Attempt({ attempt, open }: { attempt: AttemptData; open?: boolean }) {
  const { number, started_at, outcome, status_code, duration_ms, error, request, response_headers, response_body } =
    attempt;
  return (
    <details className={styles.attempt} open={open}>
      <summary>
        <Icon name="next" size={14} />
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
      {request && <Part label="Request" text={`POST ${request.url}\n${headersText(request.headers)}`} />}
      {response_headers && (
        <Part label="Response headers" text={`HTTP ${status_code ?? ''}\n${headersText(response_headers)}`} />
      )}
      {response_body !== undefined && (
        <>
          <p className={styles.label}>Response body</p>
          <BodyView label="Response body" body={response_body} />
        </>
      )}
    </details>
  );
}

function Part(props: ComponentProps<typeof CodeBlock>) {
  return (
    <>
      <p className={styles.label}>{props.label}</p>
      <CodeBlock {...props} />
    </>
  );
}

function headersText(headers: Record<string, unknown>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join('\n');
}
