import type { DeliveryDetails } from '@idsync/client/operator';
import type { ComponentProps, ReactNode } from 'react';
import { Icon } from './button';
import styles from './delivery-view.module.css';
import { formatDuration } from './format-time';
import { BodyView, CodeBlock } from './json-view';
import { EmptyState, Section } from './page';
import { Facts, StatusBadge, Time } from './values';
import { wordsOf } from './words';

interface DeliveryViewProps {
  delivery: DeliveryDetails;
  /** Links to what the delivery belongs to. */
  links: readonly (readonly [string, ReactNode])[];
  /** Why there may be no body. */
  noBody: string;
}

/** One delivery: its attempts, the newest first and open, and the bytes that were signed. */
export function DeliveryView({ delivery, links, noBody }: DeliveryViewProps) {
  const { attempts, body, status, due_at, occurred_at } = delivery;
  return (
    <>
      <Section title="Delivery">
        <Facts
          items={[
            ...links,
            ['Sequence', delivery.sequence],
            ['Occurred', occurred_at && <Time at={occurred_at} />],
            ['Next attempt', status === 'pending' && due_at ? <NextAttempt key="due" at={due_at} /> : undefined],
            ['Last error', delivery.last_error],
          ]}
        />
      </Section>
      <Section title={`Attempts (${attempts.length})`} flush>
        {attempts.length === 0 ? (
          <EmptyState title="Not sent yet" />
        ) : (
          attempts
            .toReversed()
            .map((attempt, index) => <Attempt key={attempt.number} attempt={attempt} open={index === 0} />)
        )}
      </Section>
      <Section title={attempts.length > 0 ? 'Signed body, as sent' : 'Body, as it will be sent'}>
        {body === undefined ? (
          <EmptyState title="Not shown">{noBody}</EmptyState>
        ) : (
          <BodyView label="Body" body={body} />
        )}
      </Section>
    </>
  );
}

/** A delivery that is due and not sent waits for its endpoint. */
function NextAttempt({ at }: { at: string }) {
  return Date.parse(at) < Date.now() ? 'Due: it waits until its endpoint may be tried again' : <Time at={at} />;
}

type AttemptData = DeliveryDetails['attempts'][number];

/** One request, with its headers and what the receiver answered. */
function Attempt({ attempt, open }: { attempt: AttemptData; open?: boolean }) {
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
