import type { DeliveryDetails } from '@idsync/client/operator';
import type { ReactNode } from 'react';
import { Attempt } from './attempt';
import { BodyView } from './body-view';
import { Facts } from './facts';
import { Section } from './page';
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
