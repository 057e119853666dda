// SQL by hand: an upsert with the clock of PostgreSQL, because the clocks of processes differ.
import type { ServiceName } from '@idsync/contracts';
import type { Database, Transaction } from '../database.js';

/** A process that has been silent for longer has probably ended: three reports are missing. */
export const silentAfterSeconds = 100;

export interface ProcessReport {
  id: string;
  service: ServiceName;
  version: string;
  host: string;
  startedAt: Date;
  brokerConnected: boolean;
  outboxMessages: number;
  outboxLagSeconds: number;
}

export interface ServiceProcessRow extends ProcessReport {
  seenAt: Date;
  /** Seconds since the last report. */
  silentSeconds: number;
}

export async function reportProcess(tx: Transaction, report: ProcessReport): Promise<void> {
  await tx.query(
    `insert into service_processes
       (id, service, version, host, started_at, broker_connected, outbox_messages, outbox_lag_seconds)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (id) do update set seen_at = now(), broker_connected = excluded.broker_connected,
       outbox_messages = excluded.outbox_messages, outbox_lag_seconds = excluded.outbox_lag_seconds`,
    [
      report.id,
      report.service,
      report.version,
      report.host,
      report.startedAt,
      report.brokerConnected,
      report.outboxMessages,
      report.outboxLagSeconds,
    ],
  );
}

export async function removeProcess(tx: Transaction, id: string): Promise<void> {
  await tx.query('delete from service_processes where id = $1', [id]);
}

/** Removes processes of a service that were killed: they have not reported for a day. */
export async function removeSilentProcesses(tx: Transaction, service: ServiceName): Promise<void> {
  await tx.query(`delete from service_processes where service = $1 and seen_at < now() - interval '1 day'`, [service]);
}

/** Counts the processes of a service that have reported lately. */
export async function countProcesses(
  database: Pick<Database, 'readAcrossTenants'>,
  service: ServiceName,
): Promise<number> {
  const [row] = await database.readAcrossTenants<{ count: number }>({
    name: 'count-processes',
    text: `select count(*)::int as count from service_processes
            where service = $1 and seen_at > now() - make_interval(secs => $2)`,
    values: [service, silentAfterSeconds],
  });
  return row?.count ?? 0;
}

export async function listProcesses(tx: Transaction, limit: number): Promise<ServiceProcessRow[]> {
  return tx.query<ServiceProcessRow>(
    `select id, service, version, host, started_at as "startedAt", seen_at as "seenAt",
            broker_connected as "brokerConnected", outbox_messages as "outboxMessages",
            outbox_lag_seconds as "outboxLagSeconds",
            extract(epoch from clock_timestamp() - seen_at)::float8 as "silentSeconds"
       from service_processes where seen_at > now() - interval '1 day'
      order by service, started_at, id limit $1`,
    [limit],
  );
}
