import { encodeId, newUuid } from '@idsync/contracts';
import type { AttemptStatistics, DeliveryRow, ReplayRow, WebhookHealthRow } from '@idsync/database/gateway';
import { describe, expect, it } from '@jest/globals';
import { presentDelivery, presentDeliveryDetails, presentReplay } from './present-delivery.js';
import { presentStatistics, presentWebhookHealth } from './present-webhook.js';

const at = new Date('2026-01-01T00:00:00Z');
const time = '2026-01-01T00:00:00.000Z';
const [id, webhookId, eventId] = [newUuid(), newUuid(), newUuid()];
/** The response as the client receives it, without undefined values. */
const sent = (response: object): unknown => JSON.parse(JSON.stringify(response));

describe('the health of a webhook', () => {
  const row = {
    id,
    callbackUrl: 'https://x.org',
    events: ['*'],
    active: true,
    createdAt: at,
    pending: 3,
    dead: 0,
    countedTo: 10,
    oldestDueAt: null,
    failures: 0,
    openUntil: null,
    lastSuccessAt: null,
    lastFailureAt: null,
    disabledAt: null,
    disabledReason: null,
    headerNames: [] as string[],
  } as WebhookHealthRow;
  const health = (parts: Partial<WebhookHealthRow> = {}) => sent(presentWebhookHealth({ ...row, ...parts }));

  it('omits times that are unknown', () => {
    expect(health()).toEqual({
      id: encodeId('webhook', id),
      callback_url: 'https://x.org',
      events: ['*'],
      active: true,
      created_at: time,
      pending: { count: 3, exact: true },
      dead: { count: 0, exact: true },
      breaker: { state: 'closed' },
      failures: 0,
    });
  });

  it('contains the times of deliveries and the reason why it was disabled', () => {
    const times = { oldestDueAt: at, lastSuccessAt: at, lastFailureAt: at, disabledAt: at };
    expect(health({ ...times, disabledReason: 'gone', failures: 7 })).toMatchObject({
      oldest_due_at: time,
      last_success_at: time,
      last_failure_at: time,
      disabled_at: time,
      disabled_reason: 'gone',
      failures: 7,
    });
  });

  it('reports a count above the limit as the limit, and as not exact', () => {
    expect(health({ pending: 10, dead: 11 })).toMatchObject({
      pending: { count: 10, exact: true },
      dead: { count: 10, exact: false },
    });
  });

  it.each([
    ['open', '9999-01-01T00:00:00.000Z'],
    ['half_open', '2000-01-01T00:00:00.000Z'],
  ])('has a breaker that is %s until %s', (state, until) => {
    expect(health({ openUntil: new Date(until) })).toMatchObject({ breaker: { state, open_until: until } });
  });
});

describe('the statistics of attempts', () => {
  const statistics = (parts: Partial<AttemptStatistics>) =>
    sent(
      presentStatistics({
        since: at,
        attempts: 0,
        outcomes: {},
        timed: 0,
        p50: null,
        p99: null,
        hours: [],
        ...parts,
      }) ?? {},
    );

  it('omit the rate and the durations without attempts', () => {
    expect(statistics({})).toEqual({ since: time, attempts: 0, outcomes: {}, hours: [] });
  });

  it('have times in the form of the API', () => {
    const hours = [{ at: '2026-01-31T12:00:00+00:00', delivered: 2, failed: 1 }];
    expect(statistics({ hours })).toMatchObject({
      hours: [{ at: '2026-01-31T12:00:00.000Z', delivered: 2, failed: 1 }],
    });
  });

  it('have a success rate of the attempts whose outcome is known', () => {
    const outcomes = { delivered: 3, rejected: 1, unknown: 6 };
    expect(statistics({ attempts: 10, outcomes, timed: 8, p50: 20, p99: 90 })).toMatchObject({
      success_rate: 0.75,
      duration_ms: { p50: 20, p99: 90, attempts: 8 },
      outcomes,
    });
    expect(statistics({ outcomes: { rejected: 1 } })).toMatchObject({ success_rate: 0 });
    expect(statistics({ outcomes: { unknown: 1 } })).not.toHaveProperty('success_rate');
  });
});

const delivery: DeliveryRow = {
  id,
  webhookId,
  sequence: 5,
  eventType: 'user.created',
  eventId,
  occurredAt: at,
  status: 'pending',
  tries: 1,
  inFlight: false,
  createdAt: at,
  dueAt: at,
  endedAt: null,
  outcome: null,
  statusCode: null,
  error: null,
};

describe('a delivery', () => {
  it('has a due time only while it is pending', () => {
    expect(sent(presentDelivery(delivery))).toEqual({
      id: encodeId('delivery', id),
      webhook_id: encodeId('webhook', webhookId),
      event_id: encodeId('event', eventId),
      event_type: 'user.created',
      sequence: 5,
      occurred_at: time,
      status: 'pending',
      in_flight: false,
      tries: 1,
      created_at: time,
      due_at: time,
    });
    const ended = sent(presentDelivery({ ...delivery, status: 'delivered', endedAt: at }));
    expect(ended).toMatchObject({ ended_at: time });
    expect(ended).not.toHaveProperty('due_at');
  });

  it('shows its last outcome, and omits an event that was deleted', () => {
    const gone = { eventId: null, occurredAt: null };
    const shown = sent(presentDelivery({ ...delivery, ...gone, outcome: 'rejected', statusCode: 500, error: 'no' }));
    expect(shown).toMatchObject({ last_outcome: 'rejected', last_status_code: 500, last_error: 'no' });
    for (const name of ['event_id', 'occurred_at']) expect(shown).not.toHaveProperty(name);
  });

  it('lists its attempts in detail, without what is unknown of an attempt in flight', () => {
    const unknown = {
      endedAt: null,
      outcome: null,
      statusCode: null,
      error: null,
      responseBody: null,
      responseHeaders: null,
      request: null,
      durationMs: null,
    };
    const attempt = { tenantId: id, deliveryId: id, webhookId, startedAt: at };
    const answered = { endedAt: at, outcome: 'rejected', statusCode: 500, responseBody: 'no', durationMs: 12 } as const;
    const attemptRows = [
      { ...attempt, number: 1, ...unknown, ...answered },
      { ...attempt, number: 2, ...unknown },
    ];
    expect(sent(presentDeliveryDetails({ ...delivery, attemptRows, body: null }))).toEqual({
      ...(sent(presentDelivery(delivery)) as object),
      attempts: [
        {
          number: 1,
          started_at: time,
          ended_at: time,
          outcome: 'rejected',
          status_code: 500,
          response_body: 'no',
          duration_ms: 12,
        },
        { number: 2, started_at: time },
      ],
    });
  });
});

describe('a replay', () => {
  const row: ReplayRow = {
    tenantId: newUuid(),
    id,
    webhookId,
    kind: 'replay',
    filter: { since: time },
    status: 'running',
    position: 0,
    untilSequence: null,
    total: null,
    lookedAt: 0,
    done: 0,
    requestedBy: 'operator',
    createdAt: at,
    endedAt: null,
    announcedAt: at,
  };
  const progress = (parts: Partial<ReplayRow>) => presentReplay({ ...row, ...parts }).progress_pct;

  it('shows its filter with public ids', () => {
    expect(sent(presentReplay({ ...row, filter: { delivery_id: eventId, events: ['user.*'] } }))).toMatchObject({
      replay_id: encodeId('replay', id),
      webhook_id: encodeId('webhook', webhookId),
      delivery_id: encodeId('delivery', eventId),
      events: ['user.*'],
    });
    expect(sent(presentReplay(row))).not.toHaveProperty('delivery_id');
  });

  it('is at 100 % only when it is done', () => {
    expect(progress({})).toBe(0);
    expect(progress({ total: 0 })).toBe(0);
    expect(progress({ total: 3, lookedAt: 2 })).toBe(66);
    expect(progress({ total: 3, lookedAt: 4 })).toBe(99);
    expect(progress({ status: 'done' })).toBe(100);
  });
});
