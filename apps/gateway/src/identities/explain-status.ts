import { decidingUsers, hasLeft, isRealDate, type PersonStatus } from '@idsync/contracts';
import type { ExplainedIdentity, ExplainedRecord } from '@idsync/database/gateway';
import type { Field, Sources } from './explained-sources.js';

type Rejected = Field['over'][number];

const noRevival = 'an account does not revive a person who has left';
const noGain = 'a record that is gone gives no access by those that remain';

/** Explains the status of an identity: the lifecycle authority, and why the other records do not decide. */
export function explainStatus(
  status: PersonStatus,
  { records, lifecycle }: Pick<ExplainedIdentity, 'records' | 'lifecycle'>,
  sources: Sources,
): Field[] {
  const kind = (['user', 'account', 'machine_identity'] as const).find((each) =>
    records.some((record) => record.kind === each),
  );
  const ofKind = records.filter((record) => record.kind === kind);
  const listed = ofKind.filter(({ isListed }) => isListed);
  const eligible = kind === 'user' && listed.length > 0 ? listed : ofKind;
  const rankOf = ({ connectorId }: ExplainedRecord) => (kind === 'user' ? sources.rankOf(connectorId, 'status') : 0);
  const deciding =
    kind === 'user'
      ? decidingUsers(eligible.map((record) => sources.ranked(record))).map(({ record }) => record)
      : eligible;
  const [first = 0] = deciding.map(rankOf);
  const winner = deciding.find((record) => record.status === status) ?? deciding[0];
  if (!winner) return [];
  const hasLeftForGood = kind === 'account' && status === 'deleted' && winner.status !== 'deleted';
  const isKept = kind === 'user' && winner.status !== status;
  const kept = hasLeftForGood ? noRevival : noGain;
  const over = records
    .filter((record) => record !== winner || hasLeftForGood || isKept)
    .map((record): Rejected => {
      if ((hasLeftForGood && record.kind === kind) || (isKept && deciding.includes(record)))
        return { ...sources.candidate(record, 'status', record.status), because: kept };
      const isOutranked = rankOf(record) < first;
      const because = rejection(record, { kind, eligible, deciding, sources: isOutranked ? sources : undefined });
      return { ...sources.candidate(record, 'status', record.status), because };
    });
  const others = eligible.filter((record) => !deciding.includes(record));
  const next = Math.min(...others.map(rankOf));
  let how = 'only source that lists the person';
  if (hasLeftForGood) how = `${noRevival}; no source lists a user`;
  else if (isKept) how = noGain;
  else if (kind !== 'user') how = `most active ${kind?.replace('_', ' ')}; no source lists a user`;
  else if (next < first) how = employmentsDecide(winner);
  else if (deciding.length > 1) how = 'most active of several users of the first source';
  else if (eligible.length > 1) how = `priority ${first} precedes ${next}`;
  const why = isKept ? undefined : reasonOf(winner, lifecycle.start_days_before);
  return [
    {
      field: 'status',
      winner: { ...sources.candidate(winner, 'status', status) },
      over,
      because: why === undefined ? how : `${how}; ${why}`,
    },
  ];
}

function rejection(
  record: ExplainedRecord,
  {
    kind,
    eligible,
    deciding,
    sources,
  }: {
    kind?: string;
    eligible: readonly ExplainedRecord[];
    deciding: readonly ExplainedRecord[];
    /** Of a record that precedes and does not decide all the same. */
    sources: Sources | undefined;
  },
): string {
  if (record.kind !== kind) return 'only users decide, as long as there is one';
  if (!eligible.includes(record)) return 'its source no longer lists it';
  if (deciding.includes(record)) return 'not more active';
  if (sources === undefined) return 'ranked lower';
  return sources.ranked(record).isEmployment
    ? 'its employment does not run'
    : 'a login does not revive a person who has left';
}

/** Returns why a user decides although another source precedes. */
function employmentsDecide(user: ExplainedRecord): string {
  if (user.status === 'pending') return 'no employment runs, and this one is to come';
  return hasLeft(user) ? 'the employments have ended' : 'this employment runs';
}

/** Returns what gave a user the status: its dates and the status of its source; undefined if the source gives neither. */
function reasonOf({ kind, status, fields, isListed }: ExplainedRecord, daysBefore: number): string | undefined {
  if (kind !== 'user') return undefined;
  if (!isListed) return 'its source no longer lists it';
  const [said] = fields.status ?? [];
  const { hired, ended, ignored } = datesOf(fields);
  const early = daysBefore > 0 && `${daysBefore} days (start_days_before) before`;
  const isByDates = status !== 'suspended' && status !== said;
  const hasEnded = status === 'inactive' && isByDates && ended !== undefined;
  const reasons = [
    status === 'pending' && hired && `${early ? `more than ${early}` : 'before'} the hire date ${hired}`,
    status === 'active' && hired && `${early ? `from ${early}` : 'after'} the hire date ${hired}`,
    hasEnded && `after the termination date ${ended}`,
    status === 'deleted' && isByDates && 'inactive for longer than the grace period',
    ignored,
    (said !== undefined || hired || ended || ignored) && `the source says ${said ?? 'nothing'}`,
  ];
  return reasons.filter(Boolean).join('; ') || undefined;
}

/** Returns the days by which the lifecycle decides, and why it ignores a termination date. */
function datesOf(fields: ExplainedRecord['fields']): { hired?: string; ended?: string; ignored?: string } {
  const hiredAt = fields.hire_date?.[0];
  const given = fields.termination_date?.[0];
  const endsAt = fields.termination_date?.find(isRealDate);
  const hired = hiredAt?.slice(0, 10);
  if (endsAt === undefined) {
    const ignored = given && `the termination date ${given.slice(0, 10)} stands for no date`;
    return { hired, ...(ignored && { ignored }) };
  }
  const ended = endsAt.slice(0, 10);
  if (hiredAt === undefined || endsAt >= hiredAt) return { hired, ended };
  return { hired, ignored: `the termination date ${ended} is ignored, it is before the hire date ${hired}` };
}
