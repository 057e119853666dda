/** A node of an executed plan, as PostgreSQL reports it. */
export interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
}

export interface Reach {
  /** The most rows that one node of the plan has read. */
  rows: number;
  /** That node. */
  by: string;
  /** Tables that were scanned sequentially. */
  sequential: string[];
}

export function reachOf(plan: Plan): Reach {
  const { 'Node Type': type, 'Relation Name': table, 'Index Name': index, 'Actual Loops': loops = 0 } = plan;
  const each =
    (plan['Actual Rows'] ?? 0) + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
  const by = [type, index, table && `on ${table}`].filter((part) => part !== undefined).join(' ');
  const parts = (plan.Plans ?? []).map(reachOf);
  const own: Reach = { rows: each * loops, by, sequential: [] };
  const most = parts.reduce((highest, part) => (part.rows > highest.rows ? part : highest), own);
  const sequential = type === 'Seq Scan' && table !== undefined && loops > 0 ? [table] : [];
  return { ...most, sequential: [...sequential, ...parts.flatMap((part) => part.sequential)] };
}
