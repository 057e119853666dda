import type { DeliveryDetails } from '@idsync/client/operator';
import type { ReactNode } from 'react';
import { Attempt } from './attempt';
import { CodeBlock } from './code-block';
import { Facts } from './facts';
import { Section } from './page';
import { readableBody } from './readable-body';
import { EmptyState } from './states';
import { Time } from './time';

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
            ['Next attempt', status === 'pending' && due_at ? <Time key="due" at={due_at} /> : undefined],
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
      <Section title="Signed body, as sent">
        {body === undefined ? (
          <EmptyState title="Not shown">{noBody}</EmptyState>
        ) : (
          <CodeBlock label="Body" text={readableBody(body)} raw={body} />
        )}
      </Section>
    </>
  );
}
