// idsync on the database of the test: one tenant with its connectors, and what its API would show.
import {
  defaultMatchingRules,
  encodeId,
  type MatchingRules,
  type OperationInput,
  type OperationType,
} from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findFeedPage } from '@idsync/database/gateway';
import { directoryFaults } from '../../apps/directory/test/directory-faults.js';
import { suppressionsOf } from '../../apps/gateway/src/identities/suppressions.js';
import { encryptionKeys, type Operated, type RunOptions, WholeSync } from '../support/whole-sync.js';
import type { ContentReader } from './reading.js';
import { formerId } from './reused-ids.js';
import type { Safeguard, Source } from './types.js';

export interface ShownRecord {
  id: string;
  name: string;
  kind: string;
  manager: string | null;
  status: string;
  person: string | null;
}

export interface ShownIdentity {
  id: string;
  status: string;
  // biome-ignore lint/suspicious/noExplicitAny: the comparison states what it expects in the document
  document: any;
}

export interface ShownCase {
  id: string;
  record_id: string;
  kind: string;
  candidates: { identity_id: string }[];
}

export interface ShownFinding {
  kind: string;
  subject_id: string;
  evidence: { manager_ids?: string[] };
}

/** The directory of a tenant. */
export interface Shown {
  identities: readonly ShownIdentity[];
  records: readonly ShownRecord[];
  cases: readonly ShownCase[];
  findings: readonly ShownFinding[];
  /** The names of the sources by the public ids of their connectors. */
  sourceNames: ReadonlyMap<string, string>;
}

/** The rules that `keys.ts` has. */
const rules: MatchingRules = {
  ...defaultMatchingRules,
  certain: ['employee_number', 'attributes.national_id', 'email', 'user_principal_name', 'attributes.badge'],
  keys: [
    { field: 'attributes.national_id', normaliser: 'alphanumeric', strength: 'permanent' },
    { field: 'attributes.badge', normaliser: 'digits', strength: 'reusable' },
  ],
  stop_values: [
    { field: 'employee_number', values: ['EXT-1'] },
    { field: 'email', values: ['lobby'] },
  ],
  weak: [],
  several_employments: 'primary',
};

export class Installation {
  private constructor(
    readonly sync: WholeSync,
    private readonly gateway: Database,
  ) {}

  static async start(): Promise<Installation> {
    const sync = await WholeSync.start();
    return new Installation(sync, await Database.connect({ url: sync.url, service: 'gateway', poolSize: 1 }));
  }

  async close(): Promise<void> {
    await this.gateway.close();
    await this.sync.close();
  }

  async tenant(sources: readonly Source[]): Promise<Tenant> {
    const id = await this.sync.rows.tenant();
    const { status } = await this.sync.operate(id, 'rules.change', { rules, preview: false });
    if (status !== 'done') throw new Error('the rules were refused');
    await this.sync.rows.rows(`insert into finding_policies values ($1, '{"unmatched_account_hours": 0}', now())`, [
      id,
    ]);
    const tenant = new Tenant(this.sync, this.gateway, id);
    for (const source of sources) await tenant.add(source);
    return tenant;
  }
}

const bounds = ['deleted', 'disabled', 'enabled', 'reused', 'created', 'rekeyed', 'changed'] as const;

function settingsOf(safeguard: Safeguard): Record<string, unknown> {
  const settings = bounds.flatMap((bound) => {
    const { percent, records } = safeguard[bound];
    return [
      [`max_${bound}_percent`, percent],
      [`max_${bound}_records`, records],
    ];
  });
  return {
    ...Object.fromEntries(settings),
    changed_fields: safeguard.changedFields,
    within_hours: safeguard.countsTheDay ? 24 : 0,
  };
}

export class Tenant {
  /** Ids by name. */
  private readonly connectors = new Map<string, string>();

  constructor(
    readonly sync: WholeSync,
    private readonly gateway: Database,
    readonly id: string,
  ) {}

  /** Creates the connector of a source. */
  async add({ name, kind, priority, employments, safeguard }: Source): Promise<void> {
    const connector = await this.sync.rows.connector(this.id, { name, records: kind, priority, employments });
    await this.sync.rows.rows('update connectors set safeguard = safeguard || $2::jsonb where id = $1', [
      connector,
      JSON.stringify(settingsOf(safeguard)),
    ]);
    this.connectors.set(name, connector);
  }

  /** Deletes a connector, whose records stay. */
  async remove(source: Source): Promise<void> {
    await this.sync.rows.rows('update connectors set deleted_at = now() where id = $1', [this.connectorOf(source)]);
  }

  connectorOf({ name }: Source): string {
    return this.connectors.get(name) ?? '';
  }

  async shown(): Promise<Shown> {
    const [identities, records, cases] = await Promise.all([this.identities(), this.records(), this.openCases()]);
    const findings = await this.openFindings();
    const sourceNames = new Map([...this.connectors].map(([name, id]) => [encodeId('connector', id), name]));
    return { identities, records, cases, findings, sourceNames };
  }

  /** Runs a connector until its job ends or waits for an operator. */
  async run(source: Source, reader: ContentReader, options: RunOptions): Promise<{ id: string; status: string }> {
    const id = await this.sync.run(this.id, this.connectorOf(source), reader.connector(), options);
    return { id, status: await this.statusOf(id) };
  }

  /** The external ids of the rows of runs that waited because a person would have lost access, or got it again. */
  async setAsideForAccess(jobs: readonly string[]): Promise<{ aside: Set<string>; given: Set<string> }> {
    const marked = async (mark: string) => {
      const rows = await this.sync.rows.rows<{ id: string }>(
        'select external_id as id from sync_plan_entries where job_id = any($1) and $2 = any(changed_fields)',
        [jobs, mark],
      );
      return new Set(rows.map(({ id }) => id));
    };
    return { aside: await marked('losing'), given: await marked('gaining') };
  }

  async statusOf(job: string): Promise<string> {
    const [row] = await this.sync.rows.rows<{ status: string }>('select status from sync_jobs where id = $1', [job]);
    return row?.status ?? 'unknown';
  }

  async records(): Promise<ShownRecord[]> {
    const rows = await this.sync.rows.rows<ShownRecord>(
      `select r.id, c.name || ' ' || r.external_id as name, r.status, r.kind, r.manager_id as manager, r.identity_id as person
         from source_records r join connectors c on c.tenant_id = $1 and c.id = r.connector_id where r.tenant_id = $1 order by r.id`,
      [this.id],
    );
    // The model counts the earlier users of an id, because it knows no ids of users.
    const counts = new Map<string, number>();
    return rows.map((row) => {
      const [, formerly] = /^(.*) \(formerly usr_[^)]*\)$/.exec(row.name) ?? [];
      if (formerly === undefined) return row;
      const nth = (counts.get(formerly) ?? 0) + 1;
      counts.set(formerly, nth);
      return { ...row, name: formerId(formerly, nth) };
    });
  }

  private async identities(): Promise<ShownIdentity[]> {
    const rows = await this.sync.rows.rows<{ id: string; status: string; document: string }>(
      'select id, status, document from identities where tenant_id = $1',
      [this.id],
    );
    return rows.map((row) => ({ ...row, document: JSON.parse(row.document) }));
  }

  /** Resolves late managers and evaluates findings, as the directory does after each run and by the clock. */
  evaluate(): Promise<void> {
    return this.sync.evaluate(this.id);
  }

  /** Stale sources depend on time. */
  private openFindings(): Promise<ShownFinding[]> {
    return this.sync.rows.rows<ShownFinding>(
      `select kind, subject_id, evidence from findings where tenant_id = $1 and state = 'open' and kind <> 'stale_source'`,
      [this.id],
    );
  }

  private openCases(): Promise<ShownCase[]> {
    return this.sync.rows.rows<ShownCase>(
      `select id, record_id, kind, candidates from review_cases where tenant_id = $1 and status = 'open'`,
      [this.id],
    );
  }

  operate<T extends OperationType>(type: T, input: OperationInput<T>, options: RunOptions): Promise<Operated> {
    return this.sync.operate(this.id, type, input, options);
  }

  /** Returns by what later records of a person are recognised, as the gateway computes it for an erasure. */
  suppressionOf(identity: string) {
    return this.gateway.transaction(this.id, (tx) => suppressionsOf(tx, identity, encryptionKeys));
  }

  faults(): Promise<string[]> {
    return directoryFaults(this.sync.rows, this.id);
  }

  /** The bodies of all events after a sequence, as the feed returns them. */
  async eventsAfter(sequence: number): Promise<string[]> {
    const bodies: string[] = [];
    for (let after = sequence; ; ) {
      const page = await this.gateway.transaction(this.id, (tx) => findFeedPage(tx, { after, limit: 200 }));
      bodies.push(...page.bodies);
      after = page.nextAfter;
      if (!page.hasMore) return bodies;
    }
  }
}
