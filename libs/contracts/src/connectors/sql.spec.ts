import { describe, expect, it } from '@jest/globals';
import { sqlConfig } from './sql.js';

function refusalOf(query: string): string | undefined {
  const config = { dialect: 'postgres', host: 'db', database: 'hr', user: 'reader', query };
  return sqlConfig.safeParse(config).error?.issues.find(({ path }) => path[0] === 'query')?.message;
}

describe('a query of a SQL source', () => {
  it.each([
    'select 1',
    '  WITH a as (select 1) select * from a',
    '-- people\n/* of ** HR */ /**/ select 1',
    '--\r-- --\nselect 1',
  ])('may start with comments before SELECT: %j', (query) => {
    expect(refusalOf(query)).toBeUndefined();
  });

  it.each(['delete from people', '-- select 1', '/* select 1', '/* */ update people set a = 1', 'selection'])(
    'is rejected if it is not a SELECT: %j',
    (query) => {
      expect(refusalOf(query)).toBe('must be a SELECT');
    },
  );

  // With exponential backtracking over the comments, this would never end.
  it.each(['--', '-- ', '/**/', '/*', ' ', '*/ '])('is rejected if it repeats "%s" up to the limit', (part) => {
    expect(refusalOf(part.repeat(65_536 / part.length))).toBe('must be a SELECT');
  });
});
