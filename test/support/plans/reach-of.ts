/** A node of an executed plan, as PostgreSQL reports it. */
export interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  /** Blocks of the node with those below it. */
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: Plan[];
}

export interface Reach {
  /** The most rows that one node of the plan has read. */
  rows: number;
  /** That node. */
  by: string;
  /**
   * The most blocks that one look-up in an index has read beside those of its rows. A scan whose condition skips a
   * column of its index reads entries without counting them as rows.
   */
  blocks: number;
  /** That index. */
  index: string;
  /** Tables that were scanned sequentially. */
  sequential: string[];
}

/** A row can be in several blocks, and its entry in one more. */
const blocksOfRow = 6;

export function reachOf(plan: Plan): Reach {
  const { 'Node Type': type, 'Relation Name': table, 'Index Name': index, 'Actual Loops': loops = 0 } = plan;
  const each =
    (plan['Actual Rows'] ?? 0) + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
  const by = [type, index, table && `on ${table}`].filter((part) => part !== undefined).join(' ');
  const below = plan.Plans ?? [];
  // A condition with an array is a look-up for each of its values, whose number the plan does not have.
  const isLookup = index !== undefined && loops > 0 && !plan['Index Cond']?.includes('ANY');
  const blocks = isLookup ? (blocksOf(plan) - sum(below.map(blocksOf))) / loops : 0;
  const own = { rows: each * loops, by, blocks: blocks - each * blocksOfRow, index: index ?? '' };
  const sequential = type === 'Seq Scan' && table !== undefined && loops > 0 ? [table] : [];
  return below.map(reachOf).reduce(
    (most, part) => ({
      ...(part.rows > most.rows ? { rows: part.rows, by: part.by } : { rows: most.rows, by: most.by }),
      ...(part.blocks > most.blocks
        ? { blocks: part.blocks, index: part.index }
        : { blocks: most.blocks, index: most.index }),
      sequential: [...most.sequential, ...part.sequential],
    }),
    { ...own, sequential },
  );
}

const blocksOf = (plan: Plan) => (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
